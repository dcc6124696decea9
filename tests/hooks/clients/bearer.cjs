// For a program that cannot be told to send a token: the head of every request of its own carries it.
const { Socket } = require("node:net")
const write = Socket.prototype.write
Socket.prototype.write = function (data, ...rest) {
  if (typeof data === "string" && /^(GET|POST|DELETE|OPTIONS) \S+ HTTP\/1\.1\r\n/.test(data)) {
    data = data.replace("\r\n", `\r\nAuthorization: Bearer ${process.env.GUARDA_TOKEN}\r\n`)
  }
  return write.call(this, data, ...rest)
}

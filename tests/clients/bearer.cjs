// For programs that cannot be told to send a token: every request of theirs to the guard carries it.
const token = `Bearer ${process.env.GUARDA_TOKEN}`
const fetch = globalThis.fetch
globalThis.fetch = (input, init = {}) => {
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : undefined))
  headers.set("authorization", token)
  return fetch(input, { ...init, headers })
}
const http = require("node:http")
const request = http.request
http.request = (...given) => {
  const call = request(...given)
  if (!call.headersSent) call.setHeader("authorization", token)
  return call
}


# The actions of the vocabulary. The same messages, with the same arguments, are in actions-pt-BR.ftl and actions-fr.ftl.

## Their names, in the history
action-OPEN_APP = open the application
action-CLOSE_APP = close the application
action-OPEN_URL = open the address
action-OPEN_FOLDER = open the folder
action-VOLUME_UP = turn the volume up
action-VOLUME_DOWN = turn the volume down
action-VOLUME_MUTE = mute or unmute the sound
action-VOLUME_UNMUTE = unmute the sound
action-VOLUME_SET = set the volume
action-MEDIA_PLAY_PAUSE = play or pause
action-MEDIA_PLAY = play
action-MEDIA_PAUSE = pause
action-MEDIA_NEXT = skip to the next track
action-MEDIA_PREV = go back to the previous track
action-MEDIA_STOP = stop the media player
action-MEDIA_SHUFFLE = shuffle
action-MEDIA_REPEAT = repeat
action-MEDIA_SEEK = skip within the track
action-MEDIA_STATUS = say what is playing
action-RUN_COMMAND = run a command
action-KEY_PRESS = press the key
action-BRIGHTNESS = change the brightness
action-SCREEN_OFF = switch the screen off
action-SCREENSHOT = take a screenshot
action-LOCK = lock the screen
action-SUSPEND = suspend the computer
action-REBOOT = restart the computer
action-SHUTDOWN = switch the computer off
action-WIFI = switch Wi-Fi
action-BLUETOOTH = switch Bluetooth
action-NOTIFY = show a notification
action-DO_NOT_DISTURB = do not disturb
action-REPLY = say
action-FILE_OPEN = open the file
action-FILE_LIST = list the folder
action-FILE_COPY = copy
action-FILE_MOVE = move
action-FILE_DELETE = delete
action-FILE_MKDIR = make the folder
action-END_GRANTS = end all grants
action-UNDO = undo
action-UNKNOWN = request not understood

## What is going to happen, after "to"
effect-open-app = open the application { $name }
effect-close-app = close the application { $name }
effect-open-url = open the address { $name }
effect-write-to = begin a message to { $name }
effect-open-folder = open the folder { $name }
effect-volume-up = turn the volume up by { $percent } percent
effect-volume-down = turn the volume down by { $percent } percent
effect-volume-set = set the volume to { $percent } percent
effect-volume-mute = { $level ->
    [toggle-mute] mute or unmute the sound
   *[mute] mute the sound
}
effect-volume-unmute = unmute the sound
effect-brightness = { $level ->
    [up] turn the brightness up by { $percent } percent
    [down] turn the brightness down by { $percent } percent
   *[set] set the brightness to { $percent } percent
}
effect-media-play-pause = play or pause the music
effect-media-play = play the music
effect-media-pause = pause the music
effect-media-stop = stop the music
effect-media-next = skip to the next track
effect-media-prev = go back to the previous track
effect-media-shuffle = { $switch ->
    [on] play the tracks in random order
    [off] play the tracks in their order
   *[toggle] switch the random order of the tracks
}
effect-media-repeat = { $what ->
    [track] repeat this track
    [all] repeat all tracks
   *[off] stop repeating
}
effect-media-seek = { $seconds ->
    [1] skip one second forward
   *[other] skip { $seconds } seconds forward
  }
effect-media-seek-back = { $seconds ->
    [1] go one second back
   *[other] go { $seconds } seconds back
  }
effect-media-status = say what is playing
effect-key-press = press { $name }
effect-lock = lock the screen
effect-screen-off = switch the screen off
effect-screenshot = take a picture of the whole screen
effect-do-not-disturb = { $switch ->
    [on] turn Do Not Disturb on
    [off] turn Do Not Disturb off
   *[toggle] turn Do Not Disturb on or off
}
effect-suspend = suspend the computer
effect-reboot = restart the computer
effect-shutdown = switch the computer off
effect-wifi = { $switch ->
    [on] switch Wi-Fi on
    [off] switch Wi-Fi off
   *[toggle] switch Wi-Fi on or off
}
effect-bluetooth = { $switch ->
    [on] switch Bluetooth on
    [off] switch Bluetooth off
   *[toggle] switch Bluetooth on or off
}
effect-notify = show the notification { $name }
effect-reply = say { $name }
effect-file-open = open { $name }
effect-file-list = list the folder { $name }
effect-file-copy = copy { $name } to { $to }
effect-file-move = move { $name } to { $to }
effect-file-delete = { $kind ->
    [folder] delete the folder { $name } with everything in it
    [link] delete the link { $name }
    [file] delete { $name }
   *[unknown] delete { $name }, with everything in it
}
effect-file-mkdir = create the folder { $name }
effect-end-grants = end all that you granted beforehand
effect-undo = { $run ->
    [given] undo an earlier action
    [part] undo what was done to { $path }
    [turn] undo everything since the last message
    [session] undo everything that this session changed
    [since] undo everything since { $time }
   *[last] undo the last thing that was done here
}
effect-unknown = do { $name }, which is not among the known actions

## What is said afterwards
done = Done.
done-run-command = Done: { $name }.
done-open = I opened { $name }.
done-file-open = I opened { $name }.
done-volume = Volume changed.
done-brightness = Brightness changed.
done-media = The player received the command.
done-key-press = Pressed { $name }.
done-notify = Notification shown.
done-file-list = Listed { $name }.
done-file-copy = I copied { $name } to { $to }.
done-file-move = I moved { $name } to { $to }.
done-file-delete = I deleted { $name }.
done-file-mkdir = I made the folder { $name }.
done-close-app = I closed { $name }.
done-end-grants = Done. Nothing is granted any more, and I ask again.
done-undo = Undone: it is as it was before.
now-written = The picture of the screen is in { $name }.
now-written-short = The picture of the screen is in the folder { $name }.
now-volume = { $muted ->
    [true] Sound is off.
   *[false] Volume at { $percent } percent.
}
now-brightness = Brightness at { $given } percent.
now-playing = Playing.
now-playing-title = Now playing: { $name }.
now-paused = Paused.
now-paused-title = Paused: { $name }.
now-stopped = Stopped.

## The parts of the machine that they need
failure-no-sound = The sound server does not answer.
failure-no-display = There is no screen for this.
failure-only-x11 = This works under X11 only, and this is Wayland.
failure-no-portal = No portal of this desktop does that.
failure-no-backlight = No screen here has an adjustable brightness; use the monitor's buttons.
failure-no-bluetooth = There is no Bluetooth adapter.
failure-no-wifi = There is no Wi-Fi adapter.
part-applications = applications
part-browser = browser
part-file-manager = file manager
part-terminal = terminal
part-volume = volume
part-brightness = brightness
part-media = media player
part-keys = key presses
part-screen = screen
part-power = power
part-wifi = Wi-Fi
part-bluetooth = Bluetooth
part-notifications = notifications
mend-volume = systemctl --user start pipewire-pulse, or pulseaudio --start; then raise the volume or unmute
mend-keys = needs an X server: set DISPLAY
mend-keys-wayland = Wayland lets no program press keys; everything else works
mend-screen = needs an X server: set DISPLAY
mend-screen-wayland = sudo apt install xdg-desktop-portal, and your desktop's own: xdg-desktop-portal-gnome, -kde or -wlr
mend-applications = needs a desktop: start it where DISPLAY or WAYLAND_DISPLAY is set
mend-browser = install a browser, and choose it: xdg-settings set default-web-browser NAME.desktop
mend-file-manager = install one, such as: sudo apt install pcmanfm
mend-terminal = install one, such as xterm or foot, or name it in terminal.program
mend-notifications = start a notification daemon, such as: sudo apt install dunst
mend-power = systemd's login manager does not answer: sudo apt install dbus systemd
mend-wifi = sudo apt install network-manager
mend-bluetooth = sudo apt install bluez
mend-brightness = nothing to do: an external monitor has buttons of its own
mend-media = open a player, such as VLC

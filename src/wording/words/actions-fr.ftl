
# Les actions du vocabulaire. Les mêmes messages, avec les mêmes arguments, sont dans actions-en.ftl et actions-pt-BR.ftl.

## Leurs noms, dans l'historique
action-OPEN_APP = ouvrir l'application
action-CLOSE_APP = fermer l'application
action-OPEN_URL = ouvrir l'adresse
action-OPEN_FOLDER = ouvrir le dossier
action-VOLUME_UP = augmenter le volume
action-VOLUME_DOWN = baisser le volume
action-VOLUME_MUTE = couper ou remettre le son
action-VOLUME_UNMUTE = remettre le son
action-VOLUME_SET = régler le volume
action-MEDIA_PLAY_PAUSE = lire ou mettre en pause
action-MEDIA_PLAY = lire
action-MEDIA_PAUSE = mettre en pause
action-MEDIA_NEXT = passer à la piste suivante
action-MEDIA_PREV = revenir à la piste précédente
action-MEDIA_STOP = arrêter la lecture
action-MEDIA_SHUFFLE = lecture aléatoire
action-MEDIA_REPEAT = répéter
action-MEDIA_SEEK = avancer ou reculer dans la piste
action-MEDIA_STATUS = dire ce qui est en cours de lecture
action-RUN_COMMAND = lancer une commande
action-KEY_PRESS = appuyer sur la touche
action-BRIGHTNESS = régler la luminosité
action-SCREEN_OFF = éteindre l'écran
action-SCREENSHOT = faire une capture d'écran
action-LOCK = verrouiller l'écran
action-SUSPEND = mettre l'ordinateur en veille
action-REBOOT = redémarrer l'ordinateur
action-SHUTDOWN = éteindre l'ordinateur
action-WIFI = activer ou couper le Wi-Fi
action-BLUETOOTH = activer ou couper le Bluetooth
action-NOTIFY = afficher une notification
action-DO_NOT_DISTURB = ne pas déranger
action-REPLY = dire
action-FILE_OPEN = ouvrir le fichier
action-FILE_LIST = lister le dossier
action-FILE_COPY = copier
action-FILE_MOVE = déplacer
action-FILE_DELETE = supprimer
action-FILE_MKDIR = créer le dossier
action-END_GRANTS = retirer les autorisations
action-UNDO = annuler
action-UNKNOWN = demande non comprise

## Ce qui va se passer, à l'infinitif
effect-open-app = ouvrir l'application { $name }
effect-close-app = fermer l'application { $name }
effect-open-url = ouvrir l'adresse { $name }
effect-write-to = commencer un message à { $name }
effect-open-folder = ouvrir le dossier { $name }
effect-volume-up = augmenter le volume de { $percent } pour cent
effect-volume-down = baisser le volume de { $percent } pour cent
effect-volume-set = régler le volume à { $percent } pour cent
effect-volume-mute = { $level ->
    [toggle-mute] couper ou rétablir le son
   *[mute] couper le son
}
effect-volume-unmute = rétablir le son
effect-brightness = { $level ->
    [up] augmenter la luminosité de { $percent } pour cent
    [down] baisser la luminosité de { $percent } pour cent
   *[set] régler la luminosité à { $percent } pour cent
}
effect-media-play-pause = lire la musique ou la mettre en pause
effect-media-play = lancer la musique
effect-media-pause = mettre la musique en pause
effect-media-stop = arrêter la musique
effect-media-next = passer au morceau suivant
effect-media-prev = revenir au morceau précédent
effect-media-shuffle = { $switch ->
    [on] lire les morceaux dans un ordre aléatoire
    [off] lire les morceaux dans l'ordre
   *[toggle] activer ou désactiver l'ordre aléatoire des morceaux
}
effect-media-repeat = { $what ->
    [track] répéter ce morceau
    [all] répéter tous les morceaux
   *[off] arrêter de répéter
}
effect-media-seek = { $seconds ->
    [1] avancer d'une seconde
   *[other] avancer de { $seconds } secondes
  }
effect-media-seek-back = { $seconds ->
    [1] reculer d'une seconde
   *[other] reculer de { $seconds } secondes
  }
effect-media-status = dire ce qui est en cours de lecture
effect-key-press = appuyer sur { $name }
effect-lock = verrouiller l'écran
effect-screen-off = éteindre l'écran
effect-screenshot = photographier tout l'écran
effect-do-not-disturb = { $switch ->
    [on] activer Ne pas déranger
    [off] désactiver Ne pas déranger
   *[toggle] activer ou désactiver Ne pas déranger
}
effect-suspend = mettre l'ordinateur en veille
effect-reboot = redémarrer l'ordinateur
effect-shutdown = éteindre l'ordinateur
effect-wifi = { $switch ->
    [on] activer le Wi-Fi
    [off] désactiver le Wi-Fi
   *[toggle] activer ou désactiver le Wi-Fi
}
effect-bluetooth = { $switch ->
    [on] activer le Bluetooth
    [off] désactiver le Bluetooth
   *[toggle] activer ou désactiver le Bluetooth
}
effect-notify = afficher la notification { $name }
effect-reply = dire { $name }
effect-file-open = ouvrir { $name }
effect-file-list = lister le dossier { $name }
effect-file-copy = copier { $name } vers { $to }
effect-file-move = déplacer { $name } vers { $to }
effect-file-delete = { $kind ->
    [folder] supprimer le dossier { $name } et tout son contenu
    [link] supprimer le lien { $name }
    [file] supprimer { $name }
   *[unknown] supprimer { $name }, avec tout son contenu
}
effect-file-mkdir = créer le dossier { $name }
effect-end-grants = retirer tout ce que vous avez autorisé d'avance
effect-undo = { $run ->
    [given] annuler une action précédente
    [part] annuler ce qui a été fait à { $path }
    [turn] annuler tout ce qui a été fait depuis le dernier message
    [session] annuler tout ce que cette session a changé
    [since] annuler tout ce qui a été fait depuis { $time }
   *[last] annuler la dernière chose faite ici
}
effect-unknown = faire { $name }, qui n'est pas une action connue

## Ce qui est dit ensuite
done = C'est fait.
done-run-command = Fait : { $name }.
done-open = J'ai ouvert { $name }.
done-file-open = J'ai ouvert { $name }.
done-volume = Volume réglé.
done-brightness = Luminosité réglée.
done-media = Le lecteur a reçu l'ordre.
done-key-press = Touche { $name } pressée.
done-notify = Notification affichée.
done-file-list = Contenu de { $name } affiché.
done-file-copy = J'ai copié { $name } vers { $to }.
done-file-move = J'ai déplacé { $name } vers { $to }.
done-file-delete = J'ai supprimé { $name }.
done-file-mkdir = J'ai créé le dossier { $name }.
done-close-app = J'ai fermé { $name }.
done-end-grants = C'est fait, plus rien n'est autorisé d'avance : je redemande.
done-undo = C'est fait, tout est comme avant.
now-written = L'image de l'écran est dans { $name }.
now-written-short = L'image de l'écran est dans le dossier { $name }.
now-volume = { $muted ->
    [true] Son coupé.
   *[false] Volume à { $percent } pour cent.
}
now-brightness = Luminosité à { $given } pour cent.
now-playing = Lecture en cours.
now-playing-title = En cours de lecture : { $name }.
now-paused = Lecture en pause.
now-paused-title = Lecture en pause : { $name }.
now-stopped = Lecture arrêtée.

## Les parties de la machine qu'il leur faut
failure-no-sound = Le serveur de son ne répond pas.
failure-no-display = Il n'y a pas d'écran pour cela.
failure-only-x11 = Cela demande X11, et cette session est Wayland.
failure-no-portal = Aucun portail de ce bureau ne le fait.
failure-no-backlight = Aucun écran ici n'a de luminosité réglable ; un moniteur externe a ses boutons.
failure-no-bluetooth = Il n'y a pas d'adaptateur Bluetooth.
failure-no-wifi = Il n'y a pas d'adaptateur Wi-Fi.
part-applications = applications
part-browser = navigateur
part-file-manager = gestionnaire de fichiers
part-terminal = terminal
part-volume = volume
part-brightness = luminosité
part-media = lecteur multimédia
part-keys = appui de touches
part-screen = écran
part-power = alimentation
part-wifi = Wi-Fi
part-bluetooth = Bluetooth
part-notifications = notifications
mend-volume = systemctl --user start pipewire-pulse, ou pulseaudio --start ; puis montez le volume ou rétablissez le son
mend-keys = il faut un serveur X : définissez DISPLAY
mend-keys-wayland = Wayland ne laisse aucun programme appuyer sur des touches ; tout le reste marche
mend-screen = il faut un serveur X : définissez DISPLAY
mend-screen-wayland = sudo apt install xdg-desktop-portal, et celui de votre bureau : xdg-desktop-portal-gnome, -kde ou -wlr
mend-applications = il faut un bureau : lancez-le là où DISPLAY ou WAYLAND_DISPLAY est défini
mend-browser = installez un navigateur et choisissez-le : xdg-settings set default-web-browser NOM.desktop
mend-file-manager = installez-en un, par exemple : sudo apt install pcmanfm
mend-terminal = installez-en un, comme xterm ou foot, ou nommez-le dans terminal.program
mend-notifications = lancez un programme de notifications, par exemple : sudo apt install dunst
mend-power = le gestionnaire de session de systemd ne répond pas : sudo apt install dbus systemd
mend-wifi = sudo apt install network-manager
mend-bluetooth = sudo apt install bluez
mend-brightness = rien à faire : un moniteur externe a ses propres boutons
mend-media = ouvrez un lecteur, comme VLC

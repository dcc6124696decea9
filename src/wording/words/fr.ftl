# Français. Les mêmes messages, avec les mêmes arguments, se trouvent dans pt-BR.ftl et en.ftl.

## La question, dite à voix haute
ask = { $effect } ?
ask-again = { $effect } de nouveau ? C'était { $ago }.
ask-late = Personne n'a répondu à temps. Un oui maintenant vaut pour la prochaine fois. { $ask }
undo-yes = On peut annuler.
undo-yes-named = Ce qu'elle nomme peut être annulé.
undo-for = { $count ->
    [one] On peut l'annuler pendant { $count } jour.
   *[other] On peut l'annuler pendant { $count } jours.
}
undo-named = { $count ->
    [one] Ce que ses mots nomment peut être annulé pendant { $count } jour ; elle peut changer davantage.
   *[other] Ce que ses mots nomment peut être annulé pendant { $count } jours ; elle peut changer davantage.
}
undo-never = On ne peut pas annuler.
undo-no-room = On ne peut pas annuler : { $size }, c'est trop à garder.
undo-unknown = Je ne sais pas si on peut annuler.
ask-password-after = Le mot de passe vient après le oui.
ask-trust = ou A pour faire confiance à { $folder }
ask-session = ou T pour la session
ask-session-site = ou T pour tout le site
ask-others = { $count ->
    [one] Cela vaut pour une autre du même genre.
   *[other] Cela vaut pour { $count } autres du même genre.
}
ask-words = Ou dites : { $words }.
ask-session-hosts = ou T pour la session, pour tout { $hosts }
how-hold = Pour confirmer, maintenez { $key } pendant une seconde ; pour annuler, maintenez N.
how-brief = Maintenez { $key }.
how-keys = Pour confirmer, { $yes } ; pour annuler, { $no }.
how-keys-brief = Pour oui, { $yes }.
press-hold = maintenez { $key } pendant une seconde
press-chord = appuyez sur { $key }
no-by-key = Vous avez dit non au clavier : { $effect }.
how-terminal = Dans le terminal de guarda-costas, confirmez avec { $key } ou annulez avec N.
how-terminal-brief = { $key } ou N dans le terminal.
how-notification = Répondez avec les boutons de la notification.
how-notification-brief = Répondez dans la notification.
how-notification-too = Ou répondez avec les boutons de la notification.
how-elsewhere = Répondez dans la console de guarda-costas.
how-elsewhere-brief = Répondez dans la console.
how-list = Lisez d'abord la liste dans le terminal jusqu'au bout.
how-list-brief = Lisez la liste.
how-list-elsewhere = Lisez toute la liste dans la console de guarda-costas, ou avec guarda approve, et répondez-y.
how-list-elsewhere-brief = Lisez la liste dans la console.

## Ce qui est dit ensuite
assistant = L'assistant
assistant-says = L'assistant : { $name }
exit-status = La commande { $name } s'est terminée par une erreur, code { $code }.
hidden-from-command = Caché à cette commande : { $name }. Pour s'en servir, il faut le nommer dans la commande.
exit-signal = La commande { $name } a été interrompue.
command-missing = Je n'ai pas trouvé le programme { $name }.
command-broken = Bash n'a pas pu lire cette commande, et rien n'en a été exécuté.
command-slow = La commande { $name } a pris trop de temps et a été arrêtée.
stopped = C'est interrompu avant la fin.
stopped-command = La commande { $name } a été interrompue avant la fin.
output-withheld = La commande { $name } a été exécutée, mais sa sortie est retenue : on n'a pas pu vérifier qu'elle est sans secrets.
left-nothing = Rien n'a changé.
left-part = Ce qui était fait jusque-là reste fait.
left-perhaps = Une partie a pu être faite.
failed = Je n'ai pas pu { $effect }.
failed-because = Je n'ai pas pu { $effect }. { $why }
failed-short = Échec. { $why }
changed-since = J'ai renoncé à { $effect } : { $name } a changé entre-temps. Redemandez, et je regarderai à nouveau.
changed-short = Pas fait : { $name } a changé entre-temps. Redemandez.
undo-changed = Je n'ai pas pu { $effect } : { $name } a changé depuis et serait perdu. Les anciennes versions peuvent être copiées dans un dossier.
undo-changed-short = Pas annulé : { $name } a changé depuis et serait perdu.
not-found = Je n'ai pas trouvé { $name }.
no-player = Aucun lecteur multimédia n'est ouvert.
blocked = Je ne l'ai pas permis.
blocked-because = Je ne l'ai pas permis : { $reason }.
password = Cette commande demande une autorisation. Tapez le mot de passe.
password-off = Cette commande demande un mot de passe, et le mode avancé est désactivé.
password-wrong = Mot de passe incorrect. Rien n'a été fait.
cancelled = La personne a dit non.
cancelled-short = Pas fait.
time-out = Personne n'a répondu : rien n'a été fait.
wrong-codes = Trois codes erronés sont venus d'ailleurs. La question est refusée.
code-console = Un navigateur veut ouvrir la console. Le code est { $code }.
code-console-denied = Trois codes erronés sont venus pour la console. Elle reste fermée.
withdrawn = La demande a été retirée. Rien n'a été fait.
no-human = Ici, personne n'est interrogé : ce n'est donc pas fait.
told-first = Une partie de ce qu'il lui faut a été refusée, et personne n'a encore été interrogé.
unasked = Il n'y a aucun moyen de poser la question. Rien n'a été fait.
mismatch = La réponse ne concernait pas cette demande. Rien n'a été fait.
unrecorded = Je n'ai pas pu enregistrer la demande. Rien n'a été fait.
remembered = Désormais, je ne poserai plus la question pour cette commande.
trusted-for-session = Je fais confiance à ce dossier jusqu'à la fin de cette session : les modifications s'y font sans question et peuvent être annulées.
trusted = Désormais, je fais confiance à ce dossier : les modifications s'y font sans question et peuvent être annulées.
granted-turn = Je ne repose plus cette question jusqu'à votre prochain message.
granted-session = Je ne repose plus cette question dans cette session.
granted-today = Je ne repose plus cette question aujourd'hui dans ce dossier.
granted-always = Désormais, je ne pose plus cette question dans ce dossier.
not-remembered = Je n'ai pas pu retenir votre réponse : cette commande sera redemandée.
validate = Cette commande nécessite votre validation.
duplicate = Cette commande a été exécutée { $ago }. Faut-il la répéter ?
registry-lost = J'ai perdu le registre des commandes : je demande avant chacune.
rules-changed = Les règles du garde du corps ont été modifiées : { $name }. Si ce n'était pas vous, regardez la configuration.
registry-damaged = Le registre des commandes était endommagé. Je l'ai mis de côté et j'en ai commencé un autre.
unknown = Je n'ai pas compris la demande.
unknown-heard = J'ai entendu : { $name }. Cela, je ne sais pas le faire.
found-names = { $more ->
    [0] { $first }.
    [one] { $first } et un autre.
   *[other] { $first } et { $more } autres.
}
found-nothing = Il n'y a rien dedans.
shutdown = Le garde du corps s'arrête.
ask-prompt = Que voulez-vous ?

## Pourquoi quelque chose n'a pas marché
failure-no-system-bus = Le service système qui s'en charge ne répond pas.
failure-no-session-bus = Il n'y a pas de session graphique ici.
failure-no-service = Le programme qui s'en charge n'est pas lancé.
failure-not-possible = Cet ordinateur ne peut pas le faire.
failure-needs-administrator = Il faut le mot de passe d'administrateur.
failure-not-allowed = Vous n'en avez pas la permission.
failure-unchanged = Rien n'a changé.
failure-player-cannot = Le lecteur ne peut pas le faire maintenant.
failure-player-silent = Le lecteur n'a pas réagi.
failure-no-other-track = Il n'y a peut-être pas d'autre morceau.
failure-still-open = Sa fenêtre reste ouverte ; un travail est peut-être non enregistré.
failure-not-open = L'application n'est pas ouverte.
failure-no-terminal = Aucun terminal n'est installé.
failure-program-missing = Le programme de l'application n'est pas installé.
failure-ended-at-once = L'application s'est fermée aussitôt ouverte.
failure-ended-without-x11 = L'application s'est fermée ; il lui faut peut-être X11.
failure-no-application = Aucune application installée n'ouvre cela.
failure-exists = Quelque chose porte déjà ce nom.
failure-not-folder = Ce n'est pas un dossier.
failure-into-itself = Un dossier ne peut pas aller dans lui-même.
failure-home-folder = Votre dossier personnel n'est pas supprimé.
failure-unkept = Impossible de l'annuler ensuite. Pour le supprimer, utilisez rm.
failure-no-space = Le disque est plein.
failure-read-only = Ce disque est en lecture seule.
failure-nothing-to-undo = Il n'y a rien à annuler.
failure-set-since = Ce réglage a été changé depuis, et reste comme il est.
failure-no-key = Le clavier n'a pas cette touche.
failure-declined = Le bureau a posé la question, et la réponse a été non.

## Que faire alors
next-doctor = Lancez guarda doctor.
next-desktop = Lancez-moi dans votre session.
next-x11 = Connectez-vous sous X11.
next-plug = Branchez-en un et redemandez.
next-sudo = Faites-le au terminal, avec sudo.
next-administrator = Voyez avec l'administrateur.
next-again = Redemandez.
next-reopen = Fermez-le et rouvrez-le.
next-window = Essayez dans sa fenêtre.
next-save = Enregistrez-le.
next-install-terminal = Installez-en un, comme xterm.
next-reinstall = Réinstallez-le.
next-see-why = Lancez-la au terminal.
next-xwayland = Installez Xwayland.
next-install-application = Installez-en une.
next-other-name = Choisissez un autre nom.
next-name-folder = Indiquez un dossier.
next-space = Libérez de la place et redemandez.
next-elsewhere = Choisissez un autre endroit.
next-undo-list = Voyez guarda undo --list.
next-other-key = Dites une autre touche.
next-assistant = Demandez pourquoi à l'assistant.
next-menu = Dites son nom comme dans le menu.
next-place = Vérifiez le nom et le dossier.
next-install = Installez-le ou vérifiez le nom.
next-quotes = Vérifiez les guillemets.
next-longer = S'il faut plus de temps, lancez-la au terminal.
next-player = Ouvrez-en un et redemandez.
next-terminal = Lancez-la au terminal.
next-other-words = Dites-le autrement.

## La fiche
card-title = guarda-costas
card-ask = Voulez-vous { $effect } ?
card-action = Action
card-tool = Outil
card-command = Commande
card-folder = Dossier
card-session = Session
card-asker = Demandé par
card-reasons = Pourquoi je demande
card-model = Les mots du modèle (pas ceux du garde du corps)
card-instead = À la place
card-keys = { $yes } = oui    { $no } = non
offer-turn-shape = oui, et jusqu'à mon prochain message : { $what }
offer-session-shape = oui, et dans cette session : { $what }
offer-today-shape = oui, et aujourd'hui dans ce dossier : { $what }
offer-always-shape = oui, et toujours dans ce dossier : { $what }
offer-always-command = oui, toujours cette commande
offer-session-folder = oui, et faire confiance à { $what } dans cette session
offer-always-folder = oui, et faire confiance à { $what }
offer-session-hosts = oui, et dans cette session
offer-always-all-hosts = oui, et tout autre serveur jusqu'à la fin de la commande
card-anywhere = { $how } Cela marche dans n'importe quelle fenêtre.
card-password = Après le oui, le système demande le mot de passe.
card-time = { $seconds ->
    [one] il reste { $seconds } seconde
   *[other] il reste { $seconds } secondes
}
card-waiting = { $count ->
    [one] { $count } autre question attend
   *[other] { $count } autres questions attendent
}
card-yes = oui
cli-late-yes = oui ; cela vaut dix minutes : exécutez de nouveau la commande
card-no = non
card-change = M = modifier
card-more = espace = lire la suite
card-writing = Entrée = juger ce qui est écrit    Échap = revenir
card-changed = modifié
card-late = temps écoulé
button-yes = Oui
button-session = Oui, dans cette session
button-no = Non
notification-elsewhere = Pour dire oui, lisez tout dans le terminal ou la console.
card-risk = Risque { $risk } : { $level ->
    [low] faible
    [middle] moyen
   *[high] élevé
}
card-tree = Ce qui serait exécuté
card-others = Même réponse pour
card-touches = Ce qui est touché
card-changes = Ce qui change
card-sandbox = Confinement
card-marks = Cette conversation
card-reason = R = non, avec une raison
card-spell = L = l'entendre lettre par lettre
card-code = Pour répondre d'ailleurs, le code est { $code }.
card-words = Pour dire oui à voix haute : { $words }
card-code-there = Un oui d'ici demande le code qui est affiché et dit là où la question est posée.
card-wrong-codes = non : trois codes erronés
card-edit = M = modifier dans l'éditeur
card-because = Entrée = non, pour cette raison    Échap = retour
card-editing = La commande est ouverte dans l'éditeur. Ce qui y est enregistré est jugé et redemandé.
card-editor-failed = La commande n'a pas été modifiée : { $why }
card-withdrawn = retirée

## Commandes
effect-tool = utiliser l'outil { $name }
effect-tool-match = chercher des fichiers comme { $name }
effect-tool-read = { $form ->
    [one] lire { $name }
    [few] lire { $name }
   *[many] lire { $count } fichiers
}{ $where }
effect-tool-search = chercher dans { $name }
effect-host = laisser { $name } communiquer avec { $host }{ $port }
effect-host-port = {""}, port { $port }
effect-hosts = laisser { $name } communiquer avec { $count } autres serveurs
effect-command = exécuter { $command }
effect-command-long = exécuter une commande de { $count } caractères, qui commence par { $command }
effect-delete = { $form ->
    [unknown] supprimer { $name }
    [one] supprimer { $name }
    [few] supprimer { $name }
   *[many] supprimer { $count } fichiers
}{ $where }
effect-mirror = supprimer de { $name } tout ce que la source n'a pas
effect-delete-tree = { $form ->
    [one] supprimer { $name }{ $where } et tout son contenu
    [few] supprimer { $name }{ $where } et tout leur contenu
   *[many] supprimer { $count } éléments{ $where } et tout leur contenu
}
effect-delete-like = supprimer tout ce qui correspond à { $name }{ $where }
effect-move = { $form ->
    [one] déplacer { $name } vers { $to }
    [few] déplacer { $name } vers { $to }
   *[many] déplacer { $count } éléments vers { $to }
}
effect-copy = { $form ->
    [one] copier { $name } vers { $to }
    [few] copier { $name } vers { $to }
   *[many] copier { $count } éléments vers { $to }
}
effect-mode = { $form ->
    [one] changer les permissions de { $name }
    [few] changer les permissions de { $name }
   *[many] changer les permissions de { $count } éléments
}{ $where }
effect-owner = { $form ->
    [one] changer le propriétaire de { $name }
    [few] changer le propriétaire de { $name }
   *[many] changer le propriétaire de { $count } éléments
}{ $where }
effect-kill = { $count ->
    [one] arrêter le processus { $name }
   *[other] arrêter { $count } processus
}
effect-kill-named = arrêter tous les processus nommés { $name }
effect-as-root = { $effect }, en tant qu'administrateur
effect-format = formater { $name }
effect-write-device = écrire directement sur { $name }
effect-write-file = { $form ->
    [unknown] écrire { $name }
    [one] écrire le fichier { $name }
    [few] écrire les fichiers { $name }
   *[many] écrire { $count } fichiers
}{ $where }
effect-change-file = { $form ->
    [unknown] modifier { $name }
    [one] modifier le fichier { $name }
    [few] modifier les fichiers { $name }
   *[many] modifier { $count } fichiers
}{ $where }
effect-remove-folder = { $form ->
    [unknown] supprimer { $name }
    [one] supprimer le dossier vide { $name }
    [few] supprimer les dossiers vides { $name }
   *[many] supprimer { $count } dossiers vides
}{ $where }
effect-trash = { $form ->
    [one] mettre { $name } à la corbeille
    [few] mettre { $name } à la corbeille
   *[many] mettre { $count } éléments à la corbeille
}
effect-power-off = éteindre l'ordinateur
effect-restart = redémarrer l'ordinateur
effect-git-push = envoyer des commits git vers { $name }
effect-git-force = écraser l'historique git sur { $name }
effect-git-history = réécrire ou abandonner du travail avec git { $name }
effect-git = exécuter git { $name }
effect-install = installer { $name }
effect-uninstall = désinstaller { $name }
effect-service = { $verb ->
    [start] démarrer
    [stop] arrêter
    [restart] redémarrer
    [try-restart] redémarrer
    [reload] recharger
    [enable] activer
    [disable] désactiver
    [mask] bloquer
    [unmask] débloquer
    [kill] tuer
   *[other] { $verb }
} le service { $name }
effect-download = accéder à { $name } par le réseau
effect-remote = exécuter des commandes sur une autre machine, { $name }
effect-code = exécuter un extrait de code { $name }
effect-and = { $first } et { $second }
effect-and-more = { $effects }, puis exécuter { $count ->
    [one] { $count } autre commande
   *[other] { $count } autres commandes
}
in-place = {" "}{ $kind ->
    [home] dans votre dossier personnel
    [root] à la racine du système
   *[other] dans { $place }
}
from-place = {" "}{ $kind ->
    [home] de votre dossier personnel
    [root] de la racine du système
   *[other] de { $place }
}
place-home = votre dossier personnel
place-root = la racine du système
remote-default = le serveur
target-unknown = quelque chose que l'on ne connaîtra qu'à l'exécution

## Ce qui serait touché
touch-told = { $fate } : { $what }
touch-deleted = supprimé
touch-overwritten = écrasé
touch-changed = modifié
touch-attributes = autres droits, propriétaire ou dates
touch-moved = déplacé
touch-made = créé
touch-read = lu
touch-named = cité
touch-files = { $count ->
    [one] { $count } fichier
   *[other] { $count } fichiers
}
touch-folders = { $count ->
    [one] { $count } dossier
   *[other] { $count } dossiers
}
touch-links = { $count ->
    [one] { $count } lien
   *[other] { $count } liens
}
touch-others = { $count ->
    [one] { $count } périphérique ou socket
   *[other] { $count } périphériques ou sockets
}
touch-paths = { $count ->
    [one] { $count } chemin
   *[other] { $count } chemins
}
touch-paths-more = { $count ->
    [one] et { $count } autre chemin
   *[other] et { $count } autres chemins
}
touch-at-least = au moins { $what }
touch-newest = le plus récent écrit { $ago }
touch-unreadable = { $count ->
    [one] { $count } dossier que je ne peux pas ouvrir
   *[other] { $count } dossiers que je ne peux pas ouvrir
}
touch-missing = n'existe pas
touch-open = Elle peut toucher plus que ce que l'on sait avant de l'exécuter.
touch-partly = On ne peut pas surveiller jusqu'à votre réponse tout ce dont elle dépend.
host-site = le site est { $name }

## Ce qu'une exécution en coulisse a changé
staged = Ceci { $what } ; { $undo }.
staged-told = Ceci { $what }.
staged-nothing = Ceci ne change rien.
staged-undoing = Ceci annule ce qui a été fait : { $what }.
staged-and = { $first } et { $second }
staged-more = { $first }, { $second }, et fait { $count ->
    [one] { $count } autre changement
   *[other] { $count } autres changements
}
staged-deleted = supprime { $things }
staged-replaced = remplace { $things }
staged-changed = écrase { $things }
staged-edited = modifie { $things }
staged-moved-to = déplace { $things } vers { $kind ->
    [home] votre dossier personnel
    [root] la racine du système
   *[other] le dossier { $place }
}
staged-renamed = renomme { $things }
staged-created = crée { $things }
staged-attributes = modifie les attributs { $things }
staged-items = { $count ->
    [one] { $count } élément
   *[other] { $count } éléments
}
staged-thing = { $kind ->
    [folder] le dossier { $name }
    [link] le lien { $name }
   *[other] { $name }
}
staged-of = { $kind ->
    [folder] du dossier { $name }
    [link] du lien { $name }
   *[other] de { $name }
}
staged-permissions = change les permissions { $things }
size-bytes = { $count ->
    [one] { $count } octet
   *[other] { $count } octets
}
staged-renamed-to = { $from } en { $to }
staged-with = { $what } avec { $inside }
staged-undo = { $count ->
    [one] on peut l'annuler pendant { $count } jour
   *[other] on peut l'annuler pendant { $count } jours
}
staged-final = on ne peut pas l'annuler
staged-no-room = on ne peut pas l'annuler : { $size }, c'est trop à garder
staged-moved = déplacé depuis { $name }
staged-link = lien vers { $name }
staged-kind = { $kind ->
    [folder] dossier
    [fifo] tube nommé
    [socket] socket
   *[device] fichier de périphérique
}
staged-mode = droits { $mode }
staged-owner = propriétaire { $owner }
staged-times = dates ou attributs étendus
staged-breaks = le fichier a d'autres noms, qui gardent l'ancien contenu
staged-because = On ne peut pas l'annuler, et la raison n'existe qu'en anglais : { $why }
staged-strays = { $count ->
    [one] Un processus tournait encore à la fin et a été arrêté.
   *[other] { $count } processus tournaient encore à la fin et ont été arrêtés.
}
staged-machines = { $count ->
    [one] Elle a essayé une fois de joindre une autre machine, sans y parvenir.
   *[other] Elle a essayé { $count } fois de joindre une autre machine, sans y parvenir.
}
staged-ports = { $count ->
    [one] Elle a essayé une fois de joindre un port de cette machine, sans y parvenir.
   *[other] Elle a essayé { $count } fois de joindre un port de cette machine, sans y parvenir.
}

## Ce qui retient une commande
sandbox-none = aucun : elle peut tout ce que vous pouvez
sandbox-confined = ne change que le dossier où elle s'exécute et ce que la ligne nomme
sandbox-isolated = isolée dans un système à elle
sandbox-network-none = sans réseau
sandbox-network-hosts = seulement les serveurs approuvés
sandbox-network-all = tout le réseau
sandbox-lacking = Cet ordinateur ne peut pas retenir : { $what }
measure-files = fichiers
measure-scopes = autres processus
measure-network = le réseau
measure-sockets = services de cet ordinateur
measure-calls = appels système
measure-privileges = privilèges
measure-session = le terminal
measure-limits = ce qui est consommé
measure-namespaces = espaces de noms

## Ce que la conversation a reçu
mark-outside = elle a lu du texte venu de dehors, qui a pu lui dire de faire ceci
mark-secret = elle a vu des secrets

## Pourquoi la question est posée
reason-destructive = cela peut supprimer ou abîmer des données
reason-privilege = ceci utilise les pouvoirs d'administrateur
reason-network = ceci échange des données par le réseau
reason-execution = ceci exécute un programme que je ne connais pas
reason-shell = cela peut changer ce que font d'autres commandes
reason-download-execution = ceci exécute ce qui vient du réseau
reason-persistence = ceci peut continuer d'agir plus tard, à votre insu
reason-secret = cela peut révéler des mots de passe ou des clés
reason-opaque = je ne peux pas lire cette commande en entier
reason-beyond = ceci est trop long ou trop enchevêtré pour être lu avec soin
reason-broken = bash ne peut pas lire cette commande et n'en exécute rien
reason-misspelt = le programme n'a pas cette commande et ne démarrerait pas
reason-no-cell = cet ordinateur ne peut pas l'isoler
reason-goes-on = cela tourne jusqu'à ce qu'on l'arrête
reason-not-staged = je ne peux pas l'essayer avant ; jugez d'après le texte
reason-wants-hidden = ceci veut ouvrir ce qui lui est caché : { $names }
reason-wants-port = il attend des connexions sur le port { $names }
reason-opens-secrets = il peut lire { $names } tant qu'il tourne
reason-serves-secrets = il répond sur le port { $first } et peut lire { $rest }
reason-unknown = je ne connais pas cette demande
reason-power = ceci éteint ou redémarre l'ordinateur
reason-suspend = ceci met l'ordinateur en veille
reason-open = cela peut lancer un programme
reason-processes = ceci arrête des programmes en cours
reason-files = ceci modifie des fichiers
reason-permissions = ceci change qui peut toucher aux fichiers
reason-keys = ceci appuie sur des touches à votre place
reason-poses = cela peut passer pour une question du garde du corps
reason-history = ceci peut vous faire perdre du travail gardé dans git
reason-packages = ceci installe ou supprime des programmes
reason-guard = ceci touche au garde du corps lui-même
reason-address = l'adresse n'est peut-être pas ce qu'elle semble être
reason-scheme = seules les adresses http et https sont ouvertes, et mailto: sans pièce jointe
reason-letter = ceci commence un message dans votre logiciel de courrier
reason-local-address = c'est cet ordinateur ou le réseau local
reason-address-carries = elle porte des données au site
reason-unknown-tool = le garde du corps ne connaît pas cet outil
reason-denied-tool = cet outil est sur la liste de ceux qui ne servent jamais
reason-exfiltration = cette session a vu des secrets, et ceci pourrait les emporter
reason-secret-session = cette session a vu des secrets, et ceci peut les envoyer dehors
reason-corrupted-session = cette session a lu des textes d'ailleurs, qui ont pu lui donner des ordres
reason-dangerous-service = ce que reçoit cet outil peut faire des dégâts
reason-forbidden-service = votre configuration dit que cet outil ne sert jamais
reason-plugin-asks = un de vos propres contrôles veut savoir si vous voulez ceci
reason-plugin-denies = un de vos propres contrôles interdit ceci
reason-plugin-failed = un de vos propres contrôles n'a pas fonctionné, je pose donc la question
reason-model-asks = le modèle lui-même demande une confirmation
reason-model-unsure = le modèle n'est pas sûr que c'était voulu
reason-radio = ceci active ou désactive un réseau sans fil
reason-screen = tout ce qui est à l'écran serait sur l'image
reason-device = ceci écrit directement sur un disque
reason-catastrophic = ceci peut détruire le système ou tous vos fichiers
reason-banned = ce programme est sur la liste des interdits
reason-evasion = ceci cache ce qu'il fait vraiment
reason-container = ceci agit dans un conteneur ou autour de lui
reason-remote = ceci agit sur une autre machine ou dans le cloud
reason-elsewhere = impossible à isoler ou à annuler
reason-system = ceci change les réglages du système
reason-unknown-command = je ne sais pas si elle ne fait que lire
reason-duplicate = la même commande vient d'être exécutée
reason-duplicate-since = cette commande a été exécutée { $ago }
reason-failed-before = cette commande a déjà mal tourné
reason-unsealed = ceci a été permis pour toujours, mais le journal ne dit pas par qui
reason-failed-often = { $runs ->
    [one] cette commande a échoué la seule fois
   *[other] cette commande a échoué { $failed } fois sur { $runs }
}
reason-risky-before = cette commande a déjà été jugée à haut risque
reason-always-ask = quelqu'un a demandé de toujours poser la question avant cette commande
reason-never = quelqu'un a interdit cette commande
reason-registry-lost = le registre des commandes ne répond pas, je demande donc avant chaque commande
reason-advice-flagged = un second avis met en garde
reason-advice-unclear = il n'y a pas de second avis
reason-effects = ceci modifie des fichiers
reason-host-unnamed = la commande ne nomme pas ce serveur
reason-effects-outside = c'est hors des dossiers de confiance
reason-effects-final = on ne peut pas annuler
reason-effects-many = ceci supprime énormément, sans retour
reason-effects-device = un fichier de périphérique est apparu, qu'aucune commande ne peut créer
reason-effects-set-id = quiconque exécute ce programme aurait vos droits
reason-effects-leads-out = un lien a été créé qui sort des dossiers de cette session
reason-effects-hard-link = le fichier a d'autres noms, qui garderaient l'ancien contenu
reason-effects-git-lost = l'historique d'un projet et ce qui n'a jamais été envoyé seraient perdus
reason-do-not-disturb = les questions et les avertissements du garde du corps se tairaient aussi
reason-effects-git = git l'exécuterait de lui-même, ou lui obéirait
reason-effects-opens = ceci est exécuté quand on ouvre le dossier ou qu'on y entre
reason-effects-pipelines = un serveur l'exécutera dès le push
reason-effects-agents = un agent tire d'ici ses ordres ou ses permissions
reason-effects-run-later = cela s'exécutera tout seul à l'ouverture d'une session
reason-effects-secret = des clés, des mots de passe ou des jetons s'y trouvent
reason-effects-protected = votre configuration protège ce dossier
reason-effects-confined = votre configuration n'y permet aucun changement
reason-generic = les règles demandent votre confirmation
reason-allowed = les règles permettent ceci

## Ce que « guarda check » dit d'une commande
check-approved = ce serait fait sans question
check-requires-confirmation = une question vous serait posée
check-requires-password = une question vous serait posée, puis le mot de passe serait demandé
check-blocked = ce n'est jamais fait
check-risk = risque { $risk }
check-runs = Ce qui serait exécuté
check-itself = Si un client l'exécutait lui-même : { $what }.
view-title = Ce qu'elle verrait de votre dossier personnel
view-none = rien
view-act = tout sauf les secrets, après votre oui
view-whole = tout sauf les secrets
view-reads = lecture
view-writes = écriture
view-trusted = vous laissez la session le modifier
view-folder = le dossier de travail
view-git = le dossier git de cette arborescence
view-named = la commande le nomme
view-program = la commande l'exécute
view-path = dans le chemin de recherche
view-tool = pour { $programs }
verdict-approved = approuvé
verdict-requires-confirmation = demande votre accord
verdict-requires-password = demande le mot de passe
verdict-blocked = interdit
origin-floor = règle fixe
origin-built-in = d'origine
origin-profile = profil
origin-default = aucune règle
origin-reader = lecture
origin-config = configuration
origin-caller = demandeur
origin-registry = registre
origin-effects = changements
origin-network = réseau
origin-hands = cet ordinateur
origin-advice = second avis
way-look = dans un bac à sable où rien n'est changé, envoyé ni atteint
way-stage = ses changements retenus jusqu'à ce qu'ils soient jugés
way-act = dans un bac à sable qui ouvre ce que vous avez approuvé
way-none = sans bac à sable

## Depuis quand
ago-now = il y a moins d'une seconde
ago-seconds = { $whole ->
    [1] il y a { $seconds } seconde
   *[other] il y a { $seconds } secondes
}
ago-minutes = { $minutes ->
    [one] il y a { $minutes } minute
   *[other] il y a { $minutes } minutes
}
ago-hours = il y a { $hours ->
    [one] { $hours } heure
   *[other] { $hours } heures
}
ago-days = il y a { $days ->
    [one] { $days } jour
   *[other] { $days } jours
}

## Ce que disent les commandes pending, approve, deny, modify, silence et language
cli-none = Aucune question en attente.
cli-short = { $given } n'est pas un numéro de question : donnez celui que `guarda pending` montre, ou { $count } lettres ou plus
cli-several = plusieurs questions commencent par { $given } : donnez-en davantage
cli-unknown = aucune question en attente ne commence par { $given } ; voyez `guarda pending`
cli-silence-off = les questions sont de nouveau posées
cli-silence = silence pendant { $minutes } min : toute question est refusée ; `guarda silence off` y met fin
cli-console = Il sert une fois, pendant deux minutes. Qui l'ouvre peut répondre à vos questions : gardez-le pour vous.
cli-code = Code (affiché et dit là où la question est posée)
cli-code-console = Code pour la console (affiché et dit à l'ordinateur)
cli-code-wrong = { $count ->
    [one] ce n'est pas le code ; encore { $count } essai
   *[other] ce n'est pas le code ; encore { $count } essais
}
cli-waits = attend celles d'avant
cli-list-more = Entrée = lire la suite, q et Entrée = laisser la question ouverte :
cli-list-end = Entrée = oui, q et Entrée = laisser la question ouverte :
cli-here = Oui ou non (o/n) ?
cli-list-left = La question reste ouverte.
cli-whole = la carte entière : guarda pending { $given }
cli-no-editor = définissez VISUAL ou EDITOR pour la modifier dans un éditeur, ou donnez la commande : guarda modify { $given } 'COMMANDE'
cli-fixed = cette question se répond par oui ou non, et par aucune autre commande
cli-unchanged = rien n'a été modifié, et la question attend toujours
cli-no-terminal = il n'y a pas ici de terminal pour un éditeur : { $why }
cli-language = on parle français

## Ce que dit la commande undo
undo-none = il n'y a rien à annuler
undo-unheld = rien n'est gardé de { $given } : cela n'a rien changé, a été annulé ou est trop ancien ; voyez `guarda undo --list`
undo-several = plusieurs numéros commencent par { $given } : donnez-en davantage
undo-not-empty = le dossier n'est pas vide
undo-shared = il appartient à quelqu'un d'autre, ou tout le monde peut y écrire : nommez un dossier à vous
undo-copied = { $count ->
    [one] { $count } ancienne version est dans { $name }
   *[other] { $count } anciennes versions sont dans { $name }
}
undo-beside = Rien n'a été modifié. Pour avoir les anciennes versions à côté des nouvelles : guarda undo --beside DOSSIER { $given }
undo-of = annulé : { $what }
undo-again = Pour annuler ceci : guarda undo { $given }
undo-head-at = FAIT
undo-head-until = GARDÉ JUSQU'AU
undo-head-paths = CHEMINS
undo-head-size = DISQUE
undo-head-what = QUOI
undo-sum = { $count ->
    [one] { $count } action peut être annulée ; elle occupe { $size }
   *[other] { $count } actions peuvent être annulées ; elles occupent { $size }
}
undo-times = fait le { $at } ; gardé jusqu'au { $until }
undo-put-back = remis
undo-deleted = supprimé
undo-restored = rétabli
undo-more = et { $count } de plus

## Signe par signe
spell = La commande, signe par signe : { $text }
sign = { $sign ->
    [slash] barre oblique
    [backslash] barre inverse
    [dash] tiret
    [underscore] souligné
    [dot] point
    [comma] virgule
    [colon] deux-points
    [semicolon] point-virgule
    [star] étoile
    [question] point d'interrogation
    [exclamation] point d'exclamation
    [pipe] barre verticale
    [and] et commercial
    [greater] plus grand que
    [less] plus petit que
    [dollar] dollar
    [tilde] tilde
    [hash] dièse
    [at] arobase
    [percent] pour cent
    [caret] accent circonflexe
    [plus] plus
    [equals] égal
    [quote] guillemet
    [apostrophe] apostrophe
    [backtick] accent grave
    [open] parenthèse ouvrante
    [close] parenthèse fermante
    [open-square] crochet ouvrant
    [close-square] crochet fermant
    [open-curly] accolade ouvrante
    [close-curly] accolade fermante
   *[other] signe { $code }
}

## Les serveurs qu'une commande contacte
network-reaches = { $more ->
    [0] Elle contacte { $hosts }.
    [one] Elle contacte { $hosts } et un autre serveur.
   *[other] Elle contacte { $hosts } et { $more } autres serveurs.
}
network-host = { $host }, port { $ports } : { $why }
network-host-every = { $host }, tous les ports : { $why }
network-why-word = la commande le nomme
network-why-tool = { $tool } en a besoin
network-why-remote = le dépôt distant { $remote }
network-why-policy = votre configuration le permet
network-why-tried = la commande l'a voulu quand elle a été essayée
network-why-answer = vous l'avez permis
network-why-all = vous avez dit oui à tous les serveurs de cette exécution
network-moved = { $by } mène { $tool } à un autre serveur
network-file = { $file } peut mener { $tool } à un autre serveur, ce qu'un oui ne permet pas
network-denied = votre configuration interdit { $host }
network-unknown = { $word } : le serveur n'est connu qu'à l'exécution
network-looks = { $host } est inhabituel : { $what }
network-unusual-punycode = il s'affiche { $name }
network-unusual-random = une partie longue ou aléatoire, qui peut porter des données
network-unusual-metadata = le service d'identifiants d'un nuage
network-unusual-address = une adresse au lieu d'un nom
network-unusual-local = cet ordinateur ou son réseau local, où un serveur peut tout transmettre à n'importe quelle autre machine
network-unusual-own-address = une adresse de cet ordinateur ou de son réseau, qui peut transmettre des données
network-whole = { $program } a besoin de tout le réseau : { $why }
network-whole-sockets = elle ouvre des sockets de toute sorte
network-whole-packets = elle envoie plus que du TCP
network-whole-names = elle interroge des serveurs de noms
network-whole-interfaces = elle montre le réseau de cet ordinateur
network-whole-configured = votre configuration le veut


# Ce que montre la ligne de commande : doctor, status, demo, setup, et l'aide.
part-service = service
part-configuration = configuration
part-user = utilisateur
part-state-folder = dossier d'état
part-token = jeton pour demander
part-approve-token = jeton pour répondre
part-plugins = greffons
part-answers = réponses
part-speech = voix
part-record = journal
part-registry = commandes retenues
part-sessions = sessions
part-advice = second avis
part-sandbox = bac à sable
part-stage = annulation
part-network = réseau des commandes
part-password = mot de passe
answer-keys = répondre par touche
answer-keyboard = répondre par clavier de confiance
answer-terminal = répondre dans le terminal
answer-notification = répondre par notification
answer-console = répondre dans la console
answer-http = répondre par HTTP
answer-socket = répondre par la socket
answer-spoken = répondre à voix haute
answer-mcp = répondre dans le client
answer-remote = répondre d'ailleurs
state-ready = prêt
state-starting = démarrage
state-failed = en échec
state-absent = absent
how-good = bon
how-warning = avis
how-broken = panne
doctor-fix = remède : { $fix }
doctor-well = Tout va bien.
doctor-partly = { $count ->
    [one] Ça marche ; il manque { $count } partie, et ce qui en a besoin est refusé.
   *[other] Ça marche ; il manque { $count } parties, et ce qui en a besoin est refusé.
}
doctor-ill = Cela ne marche pas comme il faut.
doctor-language = Langue : français
doctor-built-in = la configuration d'origine
doctor-root = root : ce que vous approuvez se fait avec toutes les permissions
doctor-user = numéro { $uid }
doctor-later = { $path } : créé au premier démarrage du service
doctor-first-start = créé au premier démarrage du service
doctor-next-start = créé au prochain démarrage du service
doctor-link = { $path } est un lien symbolique
doctor-no-folder = { $path } n'est pas un dossier
doctor-owner = { $path } appartient à l'utilisateur { $uid }
doctor-open = { $path } est ouvert à d'autres (mode { $mode })
doctor-own-token = { $path } n'est qu'à vous
doctor-record = { $lines ->
    [one] { $lines } ligne
   *[other] { $lines } lignes
} dans { $files ->
    [one] { $files } fichier
   *[other] { $files } fichiers
}, intactes
doctor-record-faults = { $count ->
    [one] { $count } altération
   *[other] { $count } altérations
} dans { $files ->
    [one] { $files } fichier
   *[other] { $files } fichiers
}
doctor-off = désactivé ({ $key })
doctor-asks-all = chaque action demande votre accord : { $why }
doctor-plugin = consulté à chaque action ; essayez : guarda plugin try 'rm x'
doctor-no-plugins = aucun dans { $path }
doctor-registry = { $place } : { $commands ->
    [one] { $commands } commande
   *[other] { $commands } commandes
}, { $runs ->
    [one] { $runs } exécution
   *[other] { $runs } exécutions
}
doctor-version = la version { $version } répond
doctor-other-version = la version { $version } répond, et ce programme est { $own }
doctor-answered = il répond { $status } : { $text }
doctor-nobody = personne ne peut être interrogé : ce qui demande un oui est refusé
mend-configuration = corrigez cette ligne ; `guarda config check` la teste à nouveau
mend-user = lancez guarda sous votre propre compte ; il demande un mot de passe quand il en faut un
mend-state-folder = enlevez-le, ou : chown { $uid } '{ $path }' && chmod 700 '{ $path }' ; ou définissez GUARDA_STATE_DIR
mend-token = rm '{ $path }', puis redémarrez le service : il en crée un autre
mend-record = `guarda audit verify` nomme chaque endroit ; le prochain démarrage met de côté les fichiers abîmés
mend-unwritten = supprimez la cause ; le service réessaie chaque seconde
mend-plugins = chmod 700 '{ $path }', et regardez ce qui s'y trouve
mend-plugin = corrigez cela ou enlevez le fichier
mend-registry = tant qu'il est illisible, chaque commande demande votre accord ; le prochain démarrage met de côté un fichier abîmé
mend-version = redémarrez le service
mend-service = guarda serve, ou : systemctl --user start guarda
mend-programs = installez tous ses programmes dans un même dossier : make install
mend-answers = faites marcher un des moyens ci-dessus
mend-generic = démarrez ce qu'il lui faut
mend-speech = sudo apt install speech-dispatcher speech-dispatcher-espeak-ng speech-dispatcher-audio-plugins espeak-ng ; s'ils sont installés, spd-say bonjour montre l'erreur ; écoutez avec : guarda speak bonjour
mend-answer-by-keys = le service a besoin de DISPLAY : systemctl --user import-environment DISPLAY XAUTHORITY
mend-answer-by-keys-wayland = sous Wayland les touches viennent du clavier de confiance : guarda setup keyboard
mend-answer-by-keyboard = guarda setup keyboard
mend-answer-by-terminal = lancez-le dans un terminal : guarda serve
mend-answer-by-http = définissez server.answer_over_http = true ; avec server.answer_code = "always" il faut un terminal, des notifications ou une voix
mend-sandbox = Linux 5.13 ou plus récent, avec Landlock et espaces de noms d'utilisateur ; s'ils sont fermés : sudo sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0
mend-stage = espaces de noms d'utilisateur et overlay ; s'ils sont fermés : sudo sysctl -w user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1 ; d'ici là, les questions portent sur les mots d'une commande, et ce qu'un agent lance finit avec sa ligne
mend-stage-apparmor = sudo cp { $path } /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/guarda-keeper ; sans ce fichier : sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 ; d'ici là, les questions portent sur les mots d'une commande, et ce qu'un agent lance finit avec sa ligne
mend-stage-stuck = réparez ce qui est nommé ici (droits, place, disque absent), puis relancez guarda ; guarda undo --list montre ce qui peut encore être annulé
mend-network = espaces de noms de réseau ; s'ils sont fermés : sudo sysctl -w user.max_net_namespaces=15000 kernel.unprivileged_userns_clone=1 ; ou Linux 5.9 avec kernel.yama.ptrace_scope inférieur à 2
mend-system-bus = le bus système ne répond pas : sudo systemctl start dbus (un conteneur n'en a pas)
mend-password = définissez security.advanced_mode = true et choisissez un moyen dans [password]
mend-advice = lancez le serveur du modèle (ollama serve, llama-server -m FICHIER) ; essayez : guarda advise 'ls -l'
status-head = guarda { $version }, profil { $profile } : { $running } en cours, { $waiting ->
    [0] aucune question en attente
    [one] { $waiting } question en attente
   *[other] { $waiting } questions en attente
}
demo-running = La démonstration utilise le service déjà lancé.
demo-own = Aucun service n'est lancé : la démonstration en a démarré un pour elle.
demo-place = Tout se passe dans { $path }
demo-see = Le modèle veut voir ce que contient le dossier. Lire ne change rien : la commande est exécutée aussitôt, confinée.
demo-delete = Maintenant, il veut supprimer un fichier. C'est vous qui décidez : répondez quand la question s'affiche. Sans réponse, c'est non.
demo-all = On l'a convaincu de tout supprimer, dans une écriture qui trompe les listes de noms. Ici, la commande est seulement jugée : elle serait interdite, sans question.
demo-self = Il essaie d'approuver ses propres questions. C'est interdit aussi.
demo-invent = Il invente une action. Ce qui n'est pas dans le vocabulaire ne fait rien.
demo-recorded = consigné sous { $id }
prove-root = `guarda prove` laisse échouer d'autres gardes. Lancez-le comme utilisateur ordinaire, pas comme root.
prove-harm = Dommage
prove-work = Travail honnête
prove-sums = En somme
prove-delete-project = supprimer 100 fichiers du projet
prove-delete-home = supprimer 100 documents
prove-delete-split = pareil, avec les noms coupés dans un programme
prove-read-key = lire une clé SSH
prove-read-cloud = lire des identifiants de cloud
prove-read-env = lire le .env du projet
prove-read-split = pareil par un programme, à l'envers
prove-send-http = envoyer .env avec curl
prove-send-pipe = l'envoyer encodé
prove-send-tcp = l'envoyer en TCP par un programme
prove-send-udp = l'envoyer en UDP
prove-send-socket = l'envoyer à un socket dans un dossier
prove-send-abstract = l'envoyer à un socket sans fichier
prove-later-shell = ajouter une ligne à .bashrc
prove-later-git = remplacer un crochet de git
prove-end-process = terminer un processus de l'utilisateur
prove-leave-process = laisser tourner un processus
prove-work-look = regarder le dossier
prove-work-search = chercher dans le code
prove-work-write = écrire un fichier
prove-work-edit = modifier un fichier
prove-work-program = lancer un programme
prove-work-build = compiler dans un nouveau dossier
prove-work-temporary = utiliser un fichier temporaire
prove-sum-harm = dommages restés
prove-sum-work = travail passé
prove-sum-time = `ls -la`, médiane / minimum, ms
prove-legend = ● arrivé   ↶ arrivé, puis annulé par le garde   ? une personne a été interrogée, sans réponse   × refusé   · lancé sans y parvenir   … pas terminé
demo-end = { $left ->
    [yes] old.zip est toujours là.
   *[no] old.zip a été supprimé.
} `guarda history` montre le journal, `guarda doctor` ce qui manque ici.
outcome-done = fait
outcome-blocked = interdit
outcome-denied = refusé
outcome-expired = sans réponse
outcome-withdrawn = retiré
outcome-ended = terminé
outcome-failed = échec
help-group-every-day = Tous les jours
help-group-answering = Répondre aux questions
help-group-looking-back = Revenir en arrière
help-group-setting-up = Mettre en place
help-group-for-programs = Pour les programmes
help-usage = Utilisation
help-options = Options
value-options = OPTIONS
value-command = COMMANDE
help-guarda = Le garde du corps entre un modèle de langage et votre ordinateur
help-act = Demander une action au service et attendre qu'elle se termine
help-ask = Dire ce que vous voulez avec vos mots ; un modèle en fait une action
help-undo = Annuler ce qu'une action a changé, ou lister ce qui peut l'être
help-check = Montrer le verdict sur une commande ; rien n'est exécuté, demandé ni consigné
help-status = Montrer l'état du service
help-console = Donner un lien qui ouvre la console dans un navigateur, une fois
help-demo = Montrer une exécution, une question et une interdiction, sans modèle
help-prove = Comparer les gardes de cette machine : les mêmes actes, dans un dossier jetable
help-pending = Montrer les questions en attente
help-approve = Dire oui à une question
help-deny = Dire non à une question
help-modify = Remplacer la commande d'une question
help-silence = Se taire un moment : toute question est refusée et rien n'est dit
help-language = Montrer ou changer la langue parlée
help-history = Montrer les dernières demandes et leur issue
help-blame = Dire qui a modifié un fichier : quelle commande, de quel agent et de quelle session, et qui a dit oui
help-audit = Lire, vérifier, compter ou exporter le journal
help-registry = Lister les commandes retenues ; toujours permettre, demander ou interdire l'une d'elles
help-session = Montrer les marques des sessions et les enlever
help-grants = Montrer ce que vous avez dit d'avance, comme « oui, dans cette session », et y mettre fin
help-lookback = Juger ce que des agents ont déjà lancé, d'après leurs transcriptions, selon les règles d'aujourd'hui
help-trust = Montrer les dossiers où les agents peuvent modifier des fichiers, en ajouter ou en enlever
help-network = Montrer qui a communiqué avec qui ; permettre ou interdire des serveurs
cli-network-none = Aucune commande n'a voulu d'autre machine.
cli-network-running = en cours
cli-network-whole = { $program } a eu tout le réseau ; ses échanges ne sont pas comptés
cli-network-refused = refusé { $count } × :
cli-network-record-only = Seul le registre est montré, car le service ne répond pas : { $why }
cli-network-allowed = les commandes peuvent joindre { $host } { $count ->
    [0] sur tous les ports
    [1] sur le port { $ports }
   *[other] sur les ports { $ports }
}
cli-network-allowed-for = { $program } peut joindre { $host } { $count ->
    [0] sur tous les ports
    [1] sur le port { $ports }
   *[other] sur les ports { $ports }
}
cli-network-denied = aucune commande ne peut joindre { $host }, et personne n'est interrogé
cli-network-forgotten = aucune de vos règles ne nomme plus { $host }
cli-network-same = { $file } le dit déjà
cli-network-written = écrit dans { $file } ; aucun service n'est en cours : cela vaut au prochain démarrage
cli-network-reloaded = écrit dans { $file } ; le service le relit maintenant, et cela vaut aussi pour les commandes en cours
help-serve = Démarrer le service
help-setup = Mettre en place le clavier de confiance, et l'essayer
help-doctor = Vérifier chaque partie du garde du corps et dire comment réparer
help-config = Vérifier ou montrer la configuration
help-rules = Lister les règles et essayer leurs exemples
help-hook = Vérifier chaque outil qu'emploie un agent de programmation
help-token = Donner à un conteneur sa propre socket et son jeton
help-keys = Montrer, essayer et configurer le clavier de confiance
help-speak = Dire un texte, pour essayer la voix
help-plugin = Lister et essayer vos propres vérifications
help-mcp = Offrir des outils par MCP sur l'entrée et la sortie standard
help-redact = Cacher les secrets d'un texte de l'entrée standard
help-corpus = Juger des fichiers de lignes et compter les verdicts
help-advise = Demander à un modèle son avis sur une commande, ou en mesurer un
help-completions = Donner la complétion pour le shell
help-man = Donner la page de manuel, ou les écrire toutes dans un dossier
help-help = Afficher l'aide
help-version = Afficher la version
help-act-action = L'action, comme OPEN_APP ou RUN_COMMAND, en majuscules ou minuscules ; - lit une demande JSON sur l'entrée standard
help-act-target = L'objet de l'action : une application, un chemin, une ligne de commande
help-act-args = Arguments de l'action, en texte
help-act-params = Arguments de l'action, en objet JSON
help-act-cwd = Le dossier où la commande s'exécute
help-act-session = La session (conversation) de la demande
help-act-language = La langue des questions et messages : pt-BR, en ou fr
help-act-reason = Pourquoi l'action est voulue ; montré dans la question
help-act-confirm = Demander même si les règles permettent
help-act-full = Montrer la sortie entière, jusqu'à un mébioctet, sans la raccourcir
help-act-json = Afficher la réponse en JSON
help-check-cmd = La ligne de commande, en un seul argument
help-check-profile = Le profil selon lequel juger : desktop, workspace, forensics ou container
help-status-json = Afficher le résultat en JSON
help-doctor-json = Afficher le résultat en JSON
help-doctor-config = Le fichier de configuration, au lieu de l'habituel
help-demo-answer = Répondre tout seul à la question de la démonstration, là où il n'y a personne
help-prove-json = Afficher les résultats en JSON
help-prove-only = Seulement ces gardes, par leurs noms dans la table
help-prove-rounds = Combien de fois mesurer la durée d'une ligne
help-prove-markdown = Afficher les tables en Markdown
setup-keyboard-install = Le service du clavier manque. En tant qu'administrateur : { $command }
setup-keyboard-missing = Le service du clavier de confiance n'est pas installé. Dans le dossier de guarda-costas : sudo make install && sudo systemd-sysusers && sudo udevadm control --reload ; puis : guarda setup keyboard
setup-keyboard-root = Ceci demande le mot de passe de l'administrateur : { $command }
setup-keyboard-none = Il n'y a pas ici de clavier à retenir : { $why }
setup-keyboard-no = Le clavier n'a pas dit oui. Pour réessayer : guarda setup keyboard
setup-keyboard-refused = Aucun de ces claviers ne compte encore ; la ligne sous chacun dit que faire.
setup-keyboard-done = Le clavier de confiance marche : on peut répondre aux questions avec lui.

## Là où le service ne peut pas écouter
serve-taken = { $address } est déjà utilisé, peut-être par le guarda d'un autre utilisateur ; choisissez une autre adresse : guarda serve --listen 127.0.0.1:4828, ou server.listen dans la configuration
serve-taken-by = { $address } est déjà utilisé par { $holder } ; arrêtez-le ou choisissez une autre adresse : guarda serve --listen 127.0.0.1:4828, ou server.listen dans la configuration
serve-not-allowed = { $address } ne peut pas être utilisé : les ports au-dessous de 1024 demandent les droits d'administrateur ; choisissez une autre adresse avec --listen
serve-no-address = { $address } n'est pas une adresse de cet ordinateur ; choisissez-en une autre avec --listen
serve-unheard = le service ne peut pas écouter sur { $address } : { $why }
ready-media = { $detail ->
    [none] aucun lecteur ouvert en ce moment
   *[other] { $detail }
}
ready-sandbox = { $detail ->
    [isolated] isolé dans un système à part
   *[confined] ne change que le dossier où elle s'exécute et ce que la ligne nomme
}
ready-network = { $detail ->
    [own] chaque commande a son propre réseau, avec le garde du corps au bout
   *[notified] sans espaces de noms : le garde du corps établit lui-même chaque connexion TCP, les commandes ne peuvent pas ouvrir de ports, et certains programmes ne trouvent pas de noms
}

## Trusted folders
grant-none = Rien n'a été dit d'avance.
grant-ended = Terminé : { $what }
grant-unknown = Rien de ce qui a été dit d'avance n'a un id commençant par { $given } ; voir guarda grants.
grant-several = Plusieurs ids commencent par { $given } ; écrivez-en davantage.
grants-commands-turn = jusqu'à votre prochain message dans la session { $session }
grants-commands-session = dans la session { $session }
grants-commands-today = aujourd'hui dans { $folder }
grants-commands-always = toujours dans { $folder }
grants-hosts-session = joignables par les commandes de la session { $session }
grants-folder-session = de confiance dans { $session }
grants-folder-always = de confiance désormais
grants-always-always = toujours, exactement ceci, dans { $folder }
grants-learned-always = mérité par ses exécutions, dans { $folder }
grants-ask-always = toujours demandé, dans { $folder }
grants-never-always = jamais, dans { $folder }
grants-until = jusqu'à { $time }
grants-uses = utilisée { $count } fois
grants-gone = ce n'est plus ce à quoi vous avez dit oui
rules-replayed = { $requests } demandes du registre, { $commands } commandes différentes :
rules-asked = demandées : { $now } maintenant, { $then } ensuite
rules-blocked = bloquées : { $now } maintenant, { $then } ensuite
rules-pass = Passeraient, et sont bloquées maintenant
rules-new = Seraient demandées, et ne le sont pas maintenant
rules-gone = Ne seraient plus demandées
rules-more = … et { $count } autres
rules-no-shape = { $command } ne peut pas être autorisé d'avance : aucune question n'est posée, ou elle doit l'être à chaque fois.
suggest-asked = Questions sur des commandes : { $asked }. Sur des changements ou des serveurs, ou posées à chaque fois : { $each }. Sur des commandes que vous avez refusées : { $refused }.
suggest-none = Aucune réponse durable n'aurait épargné de question.
suggest-times = demandé { $asked }×, dans { $sessions ->
    [one] une session
   *[other] { $sessions } sessions
} et { $folders ->
    [one] un dossier
   *[other] { $folders } dossiers
}
suggest-fewer = questions en moins : { $session } avec « dans cette session », { $always } avec « toujours dans ce dossier »
suggest-how = Répondez ainsi à la prochaine question : T pour la session, A pour toujours ici. guarda rules try --grant montre ce que cela couvrirait d'autre.
import-none = Il n'y a pas ici de règles de Claude Code, Codex, Gemini ou OpenCode.
import-unread = { $path } est illisible, ses règles ne sont donc pas parmi celles-ci.
import-exact = Cette commande seule.
import-prefix = Tout ce qui commence ainsi, quoi qu'il suive : d'autres options, d'autres serveurs, une deuxième commande. N'est pas repris en entier ; ce que vous en avez utilisé :
import-nothing = rien encore
import-every = Toutes les commandes. N'est pas repris : répondez à ce qu'il vous faut quand c'est demandé.
import-other = Ne porte pas sur des commandes. Les dossiers se confient avec guarda trust add.
import-stricter = Rend le client plus strict, et y reste en vigueur. Pour une règle du garde du corps, voir docs/writing-rules.md.
import-unasked = pas besoin d'autorisation : aucune question n'est posée
import-grantable = peut être autorisé ici
import-each-time = demandé à chaque fois, ou jamais fait
import-take = Autoriser toujours dans ce dossier, pour 90 jours ? [o/N]
import-taken = Autorisé. guarda grants l'affiche.
import-terminal = { $count ->
    [one] L'une d'elles peut être autorisée : lancez guarda grants import dans un terminal, et dites laquelle.
   *[other] { $count } d'entre elles peuvent être autorisées : lancez guarda grants import dans un terminal, et dites lesquelles.
}
lookback-none = Il n'y a pas de transcription de Claude Code ni de Codex dans { $folder }.
lookback-homeless = Il n'y a pas de dossier personnel où chercher ; indiquez-en un avec --home.
lookback-read = { $commands } commandes dans { $sessions } transcriptions, selon les règles d'aujourd'hui :
lookback-silent = { $count } s'exécuteraient sans question, dont { $held } avec leurs modifications retenues d'abord
lookback-asked = { $count } seraient demandées ; { $left } avec une réponse pour la session
lookback-refused = { $blocked } seraient bloquées, { $password } exigent un mot de passe
lookback-often = Demandées le plus souvent
lookback-riskiest = Les plus risquées
lookback-secrets = { $count ->
    [one] Un secret se trouve dans ces transcriptions ({ $kinds }). Qui lit le fichier l'a.
   *[other] { $count } secrets se trouvent dans { $files } de ces transcriptions ({ $kinds }). Qui lit les fichiers les a.
}
trust-none = Aucun dossier n'est de confiance : la question est posée avant toute modification de fichiers.
trust-added = Dossier de confiance : { $path }. Les agents y modifient des fichiers sans question ; chaque modification peut être annulée.
trust-removed = N'est plus de confiance : { $path }
trust-gone = ce n'est plus le dossier auquel vous avez fait confiance
trust-since = depuis { $time }
trust-offer = Faire confiance à { $path } pour les agents ? Les modifications s'y font sans question et peuvent être annulées. [o/N]
trust-hint = La question est posée avant de modifier des fichiers dans { $path }, jusqu'à ce que vous fassiez confiance au dossier : guarda trust add
cli-code-trust = Code que le garde du corps montre ou dit (pour faire confiance à ce dossier)
cli-code-grant = Code que le garde du corps montre ou dit (pour autoriser ces commandes)

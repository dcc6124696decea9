
# Ce que montrent audit, registry, session, keys, hook et les erreurs du client.

## Ce que la ligne de commande montre d'une demande
act-reason = motif : { $reason }
act-exit = code de sortie { $code }
act-params = --params n'est pas du JSON : { $why }
act-unknown = Une ligne de commande est la cible d'une action : guarda act RUN_COMMAND "ls Downloads"

## Le service ne répond pas
client-nobody = aucun service ne répond pour { $path } : lancez-en un avec `guarda serve`, ou faites pointer GUARDA_STATE_DIR vers le dossier de celui qui tourne
client-unserved = aucune réponse en { $seconds } s : la socket dans { $path } est tenue par { $holder }, qui ne la sert pas. Arrêtez ce processus, ou redémarrez le service (systemctl --user restart guarda.service), puis réessayez
client-process = { $name } (processus { $pid })
client-listener = le processus qui écoute sur { $name }
client-unknown = un processus inconnu
client-ended = le service s'est arrêté avant de répondre ({ $why }). On ne sait pas si c'est fait : `guarda history` dit ce qui avait commencé
client-foreign = ce qui répond à la place du garde du corps est un autre programme ({ $why })
client-broken = la demande n'a pas abouti ({ $why })

## Ce qui marche, et ce qui manque
banner-listens = guarda { $version } écoute sur http://{ $name }
banner-works = Marche :
banner-missing = Manque :
banner-next = Lancez guarda doctor.
banner-files = configuration : { $config } · jeton pour demander : { $token }
banner-try = Essayez dans un autre terminal :
status-off = désactivé ({ $key })
ready-record = chaque décision est écrite avant d'être exécutée
ready-sessions = ce que les sessions ont vu reste noté jusqu'à ce qu'une personne l'efface
ready-stage = ce qu'une commande change est jugé avant de compter, et peut être annulé
ready-mcp = un formulaire du client qui demande, pour ce qui est peu risqué
ready-http-code = avec le jeton d'approbation et le code de la question, qui est montré et dit ici
ready-http-token = avec le seul jeton d'approbation : rien ici ne peut montrer ni dire un code
ready-http-chosen = avec le seul jeton d'approbation (server.answer_code = "never")
ready-http-nothing = personne : il faut un code (server.answer_code = "always"), et rien ici ne peut le montrer ni le dire
degraded-speech = Rien n'est dit à voix haute. { $why }
degraded-remote = Rien ici ne peut montrer une question : c'est la personne qui a le jeton d'approbation qui y répond, par HTTP
degraded-no-human = Personne n'est interrogé (--no-human) : ce qui demande un oui est refusé, et rapporté à la fin
degraded-nobody = Personne ne peut répondre : ce qui demande un oui n'est pas fait
degraded-unseen = Une question ne peut être ni montrée ni entendue sur cet ordinateur
degraded-token = Le jeton d'approbation seul dit oui : rien ici ne peut montrer ni dire le code d'une question, et tout programme de cet utilisateur qui lit le jeton peut répondre (docs/answers.md)
degraded-code = Personne ne peut dire oui par le service : il faut un code (server.answer_code = "always"), et rien ici ne peut le montrer ni le dire
degraded-silence = Silence pendant encore { $seconds } secondes : toute question est refusée (`guarda silence off` y met fin)
degraded-part = Ne fonctionne pas : { $name }. { $why }
degraded-record = Le journal ne peut pas être écrit, et rien n'est fait : { $why }
degraded-advice = Il n'y a pas de second avis. { $why }
degraded-registry = La mémoire des commandes est perdue, et chaque commande demande votre accord : { $why }
degraded-plugins = Le dossier des greffons n'est pas fiable, et chaque action demande votre accord : { $why }
degraded-plugin = Le greffon { $name } échoue, et chaque action demande votre accord : { $why }
degraded-marks-unwritten = Les marques des sessions ne peuvent pas être écrites, et chaque session compte comme ayant vu des secrets : { $why }
degraded-marks-full = Trop de sessions sont marquées, et chaque nouvelle compte comme ayant vu des secrets ; effacez toutes les marques avec `guarda session clear --all`
degraded-marks-lost = Les marques des sessions ont été perdues ({ $why }), et chaque session du journal a été marquée ; voyez-les avec `guarda session list`
failure-switched-off = C'est désactivé dans la configuration.
failure-quiet-hours = Ce sont les heures calmes : rien n'est dit à voix haute.
failure-no-voice = Le service vocal speech-dispatcher ne répond pas.
failure-inaudible = Le son est coupé ou à zéro : on n'entendrait rien.
failure-no-helper = Le service guarda-keys du clavier de confiance n'est pas installé.
failure-no-keyboard = Aucun clavier n'est de confiance pour l'instant ; voyez : guarda keys status.
failure-not-from-terminal = Le service n'a pas été lancé depuis un terminal.
failure-no-cell = Cet ordinateur ne peut pas confiner entièrement les commandes.
failure-no-stage = Les changements ne peuvent pas être retenus ici : la question sur une commande qui change des fichiers vient avant, d'après son seul texte, et on ne peut pas l'annuler.
failure-stage-stuck = Un changement n'a pu être ni terminé ni repris : une partie peut être faite.
failure-no-network = Les commandes n'atteignent aucun autre ordinateur ici, même approuvé.
failure-no-model = Le modèle du second avis ne répond pas ; ce qu'il examinerait demande votre accord.

## La configuration, guarda ask et guarda demo
load-no-file = { $path } : ce fichier n'existe pas
load-no-home = il n'y a pas de dossier personnel : faites pointer GUARDA_STATE_DIR vers un dossier à vous
ask-no-model = aucun modèle n'est choisi : définissez ask.model dans la configuration, comme dans `ollama list`, ou utilisez --model
ask-which-model = il y a plusieurs modèles : { $names } ; choisissez-en un avec --model, ou dans ask.model de la configuration
ask-no-actions = le profil { $profile } n'offre aucune action
ask-no-server = lancez le serveur du modèle (par exemple `ollama serve`), ou indiquez dans endpoint.address où il est
endpoint-unreachable = { $place } ne répond pas
endpoint-broken = la réponse du serveur du modèle s'est interrompue ({ $why })
endpoint-late = le serveur du modèle n'a pas répondu en { $seconds } s
endpoint-address = endpoint.address dans la configuration n'est pas une adresse ({ $why })
endpoint-no-host = endpoint.address dans la configuration n'indique aucun serveur
endpoint-key-file = la clé de endpoint.key_file ne peut pas être lue : { $why }
endpoint-no-key = { $path }, indiqué par endpoint.key_file, ne contient pas de clé : une ligne sans espaces est attendue
ask-answered = le serveur du modèle répond { $answer }
ask-no-action = ce que le modèle a écrit n'est pas une action ({ $why }) : { $text }
demo-not-started = `guarda serve` en dit plus, et `guarda doctor` comment y remédier

## Que faire à la place, selon la règle
instead-decode-and-run = décodez dans un fichier, lisez-le, puis exécutez-le
instead-banned = demandez à la personne de le lancer, ou d'écrire bans = "ask" sous [bash] dans config.toml
instead-download-and-run = téléchargez dans un fichier, lisez-le, puis exécutez-le
instead-search-secrets = indiquez le dossier voulu
instead-erase-system = nommez le fichier ou le dossier à l'intérieur qui doit partir
instead-own-files-gone = nommez le fichier ou le dossier à l'intérieur qui doit partir
instead-through-process = désignez les fichiers par leur propre chemin
instead-kill-all-of-owner = nommez le programme à arrêter
instead-search-outside = cherchez dans le projet, ou nommez le dossier du système voulu
instead-client-settings = dites ce qui doit changer ; une personne le change
instead-secret-session = commencez pour cela une nouvelle session, sans secrets
instead-exfiltration = commencez pour cela une nouvelle session, sans secrets

## Le journal : guarda audit
audit-head-time = HEURE ({ $zone })
audit-head-id = DEMANDE
audit-head-end = ISSUE
audit-head-by = DÉCIDÉ PAR
audit-head-what = QUOI
audit-end-opened = fichier commencé
audit-end-at-start = achevé au démarrage
audit-end-mended = journal réparé
audit-end-advice = avis : { $verdict }
audit-end-kept-by-itself = s'est terminé
audit-end-kept-stopped = arrêté
audit-end-kept-idle = arrêté : sa session était inactive
audit-end-cleared = marques effacées
audit-end-granted = permise pour toujours
audit-end-granted-for-now = permis
audit-end-trusted-for-session = de confiance dans sa session
audit-end-trusted = de confiance
audit-end-withdrawn = n'est plus permise
audit-end-reloaded = règles modifiées
audit-end-guessed = code erroné
audit-end-marked = marquée : { $marks }
audit-end-host-asked = hôte demandé
audit-end-host-allowed = hôte permis
audit-end-host-refused = hôte refusé
audit-end-exit = code de sortie { $code }
audit-fate-done_unasked = fait sans question
audit-fate-done_approved = fait après un oui
audit-fate-denied = refusé
audit-fate-expired = sans réponse
audit-fate-withdrawn = retiré
audit-fate-denied_unasked = refusé sans question
audit-fate-blocked = interdit
audit-fate-failed = échec
audit-fate-not_held_back = pas retenu
audit-fate-left_to_client = laissé au client
audit-fate-judged = jugé seulement
audit-fate-waiting = en attente
audit-fate-begun = commencé
audit-part = partie { $part }
audit-cut = { $count } octets d'une ligne incomplète ont été coupés
audit-gap = impossible à écrire depuis { $since } : { $why }
blame-none = Le registre ne connaît aucune modification de { $path }. Ce que vous modifiez vous-même n'est pas enregistré.
blame-since = Modifié depuis, à { $time }, par quelque chose que le garde du corps n'a pas vu.
blame-more = { $count ->
    [one] Une modification plus ancienne ; --all la montre.
   *[other] { $count } modifications plus anciennes ; --all les montre.
}
blame-named = nommé par une commande dont les changements n'étaient pas retenus
blame-record = Détails : guarda history { $id }
blame-undo = Annuler : guarda undo { $id }
audit-row-what = Quoi
audit-row-instead = À la place
audit-row-decided = Qui a décidé
audit-row-reason = Motif
audit-row-verdict = Les règles disent
audit-row-why = Pourquoi
audit-row-exit = Code de sortie
audit-row-time = Durée
audit-row-output = Sortie
audit-row-ended = Détail
audit-row-hosts = Ordinateurs
audit-row-changed = Modifié
audit-place = ligne { $line } de { $session }
audit-unknown = il n'y a pas de demande { $given } dans { $path } ; `guarda history` montre les dernières
audit-none = { $path } : il n'y a pas encore de journal ; indiquez un autre dossier avec --folder, ou lancez le service avec `guarda serve`
audit-sum = { $requests ->
    [one] { $requests } demande
   *[other] { $requests } demandes
} dans { $sessions ->
    [one] { $sessions } session
   *[other] { $sessions } sessions
}
audit-sum-from = { $sum }, du { $first } au { $last }
audit-fates = ce qu'elles sont devenues
audit-actions = actions demandées
audit-answers = réponses
audit-rules = règles
audit-redactions = secrets masqués
audit-note = remarque
audit-sound = intact
audit-unsound = { $count ->
    [one] altéré : { $count } constat
   *[other] altéré : { $count } constats
}
audit-lines = { $lines ->
    [one] { $lines } ligne
   *[other] { $lines } lignes
} dans { $files ->
    [one] { $files } fichier
   *[other] { $files } fichiers
}
audit-signed = signé le { $time }
audit-unsigned = { $count ->
    [one] { $count } ligne depuis, tenue par sa seule chaîne
   *[other] { $count } lignes depuis, tenues par leur seule chaîne
  }
audit-open = { $count ->
    [one] { $count } action encore sans fin
   *[other] { $count } actions encore sans fin
  }
audit-key = { $path } ne contient pas de clé publique : 64 chiffres hexadécimaux sont attendus
audit-change = { $change ->
    [created] créé
    [changed] modifié
    [replaced] remplacé
    [deleted] supprimé
    [renamed] renommé
   *[attributes] attributs modifiés
} { $path }
audit-from = { $what }, auparavant { $from }

## Commandes retenues : guarda registry
registry-off = remarque : la mémoire des commandes est désactivée (registry.enabled), le service l'ignore
registry-nothing = il n'y a pas encore de mémoire des commandes dans { $place } : rien n'a été exécuté. `guarda registry init` la crée
registry-trouble = la mémoire des commandes { $place } : { $why }
registry-damaged-next = { $why } ; démarrez le service, qui la met de côté et garde ce qui est interdit, ou : guarda registry init --force
registry-aside = le fichier abîmé est maintenant { $path }
registry-over = recommencée : { $place } ({ $commands } commandes oubliées)
registry-exists = elle existe déjà : { $place } ({ $commands } commandes) ; --force recommence
registry-ready = prête : { $place }
registry-empty = aucune commande de ce genre
registry-first = les { $count } premières ; --most 0 les montre toutes
registry-no-candidates = aucune commande n'a réussi assez souvent pour ne plus être demandée
registry-still-asked = { $hash }  reste demandée : { $why }
registry-unknown = rien n'est retenu de { $given } ici ; `guarda registry list` montre ce qui l'est, et --cwd indique le dossier
registry-several = plusieurs commandes commencent par { $given } : donnez plus de caractères
registry-differs = son programme, le profil ou un secret masqué a changé depuis ; aujourd'hui les règles disent :
registry-gone = elle ne peut plus être examinée (son dossier a disparu ?)
registry-not-allowed = ceci ne peut pas être permis une fois pour toutes : { $why }
registry-changed = ce n'est plus la même commande : son programme ou le profil a changé, ou elle contient un secret masqué. Nommez-la par son texte et --cwd
registry-in = dans { $folder }, avec les programmes tels qu'ils sont
registry-where = là où elle s'exécute, avec les programmes tels qu'ils sont
registry-anywhere = où qu'elle s'exécute
registry-reset = oublié : votre décision et tout ce qui a été appris de la commande ; elle repart de zéro
registry-no-command = ce n'est pas une ligne de commande
registry-head-policy = RÈGLE
registry-head-runs = FOIS
registry-head-well = RÉUSSI
registry-head-risk = RISQUE
registry-head-last = DERNIÈRE
registry-head-command = COMMANDE
registry-never-ran = pas encore
registry-command = commande
registry-folder = dossier
registry-profile = profil
registry-hash = empreinte
registry-programs = programmes
registry-policy = règle
registry-unchanged = rien ne l'a encore changée
registry-said = décidé
registry-by = { $word } par { $who }
registry-person = une personne
registry-runs = exécutions
registry-runs-told = { $all } ({ $well } réussies, { $ill } non : { $late } par délai dépassé, { $killed } par signal)
registry-earned = compte
registry-earned-told = { $well } sur { $all } comptent pour ne plus demander
registry-held-back = retenue
registry-duration = durée
registry-duration-told = { $mean } ms en moyenne, de { $least } à { $most }
registry-first-last = première, dernière
registry-ends = codes
registry-duplicates = répétition
registry-duplicates-told = redemandée en moins de { $within } ms
registry-duplicates-off = n'est pas cherchée : c'est de la surveillance
registry-risk = risque
registry-because = {"  "}car
registry-policy-auto-approve = permise par son historique
registry-policy-ask = selon les règles
registry-policy-ask-warning = demandée avec un avis
registry-policy-always-allow = toujours permise
registry-policy-always-ask = toujours demandée
registry-policy-never = jamais
registry-policy-unsealed = demandée : absente du journal
registry-sum-commands = commandes
registry-sum-runs = exécutions
registry-sum-well = {"  "}réussies
registry-sum-risky = risque élevé

## Les marques des sessions : guarda session
session-none = aucune session n'a rien demandé depuis le démarrage
session-unmarked = sans marque
session-corruption = texte extérieur
session-secret = secrets vus
session-no = non
session-since = depuis { $time }
session-seen = dernière demande
session-hosts = a lu de
session-stopped = { $count ->
    [0] Rien ne tournait.
    [one] { $count } commande est arrêtée.
   *[other] { $count } commandes sont arrêtées.
}
session-running = { $count ->
    [0] tourne : { $line } (depuis { $time }, id { $id })
   *[other] tourne : { $line }, sur { $ports } (depuis { $time }, id { $id })
}
session-cleared = { $count ->
    [one] les marques d'une session sont effacées
   *[other] les marques de { $count } sessions sont effacées
}
session-unmarked-all = il n'y avait pas de marque
session-name = { $given } n'est pas un nom de session : 1 à 64 lettres, chiffres, '-', '_' ou '.', sans commencer par '.'

## Le clavier de confiance : guarda keys
keys-none = aucun clavier n'a été trouvé
keys-counts = compte
keys-refused = refusé
keys-listening = { $count ->
    [one] { $count } clavier est lu : { $yes } pour oui, { $no } pour non
   *[other] { $count } claviers sont lus : { $yes } pour oui, { $no } pour non
}
keys-busy = en attente : { $why }
keys-nobody = personne n'a répondu
keys-layout = { $given } n'est pas une disposition : qwerty, qwertz, azerty ou dvorak
keys-root = il faut être root : sudo guarda keys enroll …
keys-written = { $path } est à jour ; cela vaut dès la prochaine question

## Le crochet d'un agent : guarda hook
hook-already = rien à faire : { $path } consulte déjà guarda-costas
hook-installed = installé : { $path }
hook-trust = Codex ignore un hook tant que vous ne lui faites pas confiance : ouvrez codex, tapez /hooks et approuvez celui-ci.
hook-restart = Redémarrez { $client } et vérifiez : guarda hook doctor { $client }
hook-removed = retiré de { $path }
hook-not-in = absent de { $path }
hook-good = bon
hook-bad = panne
hook-settings = réglages
hook-program = programme
hook-service = service
hook-rules = règles
hook-judged = Ses commandes sont jugées selon le profil { $profile } (hooks.profile) ; une question attend jusqu'à { $minutes } min.
hook-rules-are = les hooks sont jugés selon le profil { $profile }
hook-rules-not = le service juge les hooks selon le profil { $profile }, la configuration indique { $meant } : redémarrez le service
hook-a-no = un non
hook-no-guard = sans service
hook-unseen = Codex ignore un hook tant que vous ne lui faites pas confiance (/hooks) ; cela ne se voit pas d'ici.
hook-protected = protégé : { $client } demande avant d'utiliser ses outils
hook-unprotected = non protégé
hook-unfit = rien n'a été changé
hook-kit = { $client } n'a pas de réglages pour les hooks : docs/agents.md donne les lignes pour votre programme
hook-no-home = il n'y a pas de dossier personnel
hook-not-there = { $path } n'existe pas : lancez guarda hook install { $client }
hook-switched-off = { $path } : disableAllHooks est actif
hook-lacks = { $path } n'a pas le hook, ou en a un ancien : lancez guarda hook install { $client }
hook-path = le chemin de ce programme n'est pas en UTF-8
setup-no-name = cet utilisateur n'a pas de nom
hook-answers = répond
hook-denied = { $command } est refusé
hook-denied-failing = refusé, car le hook a échoué : { $why }
hook-not-denied = { $command } n'est pas refusé : { $why }
hook-alone = sans le service, tout est refusé
hook-not-alone = sans le service, tout n'est pas refusé : { $why }

## Tout ce que la ligne de commande dit d'autre
config-there = { $path }
config-not-there = { $path }  (absent : les valeurs par défaut s'appliquent)
config-nowhere = aucune : il n'y a pas de dossier personnel
config-paths =
    configuration    { $config }
    dossier d'état   { $state }
config-note = remarque
config-good = correct
rules-unknown = il n'y a pas de règle { $given } dans ce profil ; `guarda rules list` les nomme toutes
rules-locked = verrouillée
rules-broken = fausse
rules-tested = { $rules } règles, { $examples } exemples, { $broken } fausses
corpus-line = { $path }, ligne { $line } : ce n'est pas du JSON avec "cmd" et "label"
advise-nothing = il n'y a pas de commande à examiner
advise-clear = rien à redire
advise-flagged = signalé
advise-unclear = pas clair
advise-progress = { $done } lignes sur { $all }
advise-miss = manqué
advise-false-alarm = fausse alerte
advise-no-model = aucun modèle n'est nommé : définissez advice.model dans la configuration, comme `ollama list` l'indique
unusable-paused = il n'est pas consulté pendant encore { $seconds } s, pour cette raison : { $why }
unusable-too-long = seuls les { $given } premiers caractères ont pu lui être montrés
unusable-secrets = les secrets de la commande n'ont pas pu lui être cachés
unusable-no-random = le système n'a pas donné de nombre aléatoire ({ $given })
unusable-late = il n'a pas répondu en { $given } s
unusable-no-model = il n'y a pas de modèle { $model } à { $place } : `ollama list` montre ceux qui existent
unusable-status = son serveur répond avec le statut { $given }
unusable-not-the-api = sa réponse n'a pas la forme de l'API
unusable-choices = il a donné { $given } réponses, et une seule est attendue
unusable-cut-off = sa réponse a été coupée
unusable-unfinished = sa réponse n'est pas allée jusqu'au bout ({ $given })
unusable-no-text = sa réponse n'a pas de texte
unusable-no-object = sa réponse n'est pas l'objet JSON demandé
unusable-no-score = sa réponse n'est pas une note
token-added =
    ajouté : { $name }
    Montez { $path } dans le conteneur comme /run/guarda, en lecture seule :
    {"  "}podman run -v { $path }:/run/guarda:ro -e GUARDA_STATE_DIR=/run/guarda …
    Dedans, `guarda act`, `guarda mcp` et les hooks demandent par ce socket ; de même
    {"  "}curl --unix-socket /run/guarda/guarda.sock -H "Authorization: Bearer $(cat /run/guarda/token)" …
token-none = aucun conteneur n'a de jeton ; guarda token add NOM en crée un
token-unknown = aucun conteneur { $name } n'a de jeton ; guarda token list les nomme
token-removed = retiré : { $name } ; son jeton ne compte plus
plugin-trouble = tant que ce n'est pas réparé, chaque action demande votre accord
plugin-ready = prêt
plugin-ignored = ignoré
plugin-failed = en panne
plugin-pass = passe
plugin-ask = demande
plugin-deny = refuse
plugin-none = ce dossier n'a pas de greffon ; docs/plugins.md explique comment en écrire un
plugin-unknown = il n'y a pas de greffon { $given } dans { $path }
plugin-nothing = il n'y a pas de greffon dans { $path }
speak-unheard = cela n'a pas été entendu. { $why }
speak-broken-off = interrompu
redact-long = le texte dépasse { $limit } octets : rien n'a été écrit ; donnez-le en plusieurs parties
service-missing = le service est un programme à part, à côté de guarda : compilez ou installez les deux
hook-no-client = { $given } n'est pas un client ; guarda hook --help les nomme
serve-root = il ne s'exécute pas en root : lancez-le vous-même, ou définissez GUARDA_ALLOW_ROOT=1 si c'est voulu
serve-as-root = attention : exécuté en root. Ce que vous approuvez est fait avec toutes les permissions
serve-no-socket = LISTEN_FDS transmet un socket Unix, et server.socket dit qu'il n'y en a pas : mettez-le à true, ou retirez le socket de guarda.socket
serve-socket-unknown = le socket { $number } de LISTEN_FDS n'est ni une adresse TCP ni un socket Unix : voyez ListenStream= dans guarda.socket
serve-socket-twice = LISTEN_FDS transmet deux sockets du même type : le garde du corps a une adresse TCP et un socket Unix ; voyez ListenStream= dans guarda.socket
serve-socket-system = un socket de LISTEN_FDS ne peut pas être utilisé ({ $why })
serve-telemetry-address = telemetry.endpoint { $endpoint } ne peut pas être utilisé ({ $why })
serve-telemetry-not-built = telemetry.endpoint indique un collecteur, et ce guarda a été compilé sans OTLP : compilez-le avec `cargo build --features otlp`, ou retirez la clé
serve-no-cell = les commandes ne peuvent pas être confinées ici, chacune est donc demandée : { $why }
serve-record = { $why } ; voyez `guarda audit verify`
registry-unsealed = { $count ->
    [one] La mémoire permet une commande pour toujours, mais le journal ne dit pas qui l'a permise : elle est de nouveau demandée. Voyez `guarda registry list --said`
   *[other] La mémoire permet { $count } commandes pour toujours, mais le journal ne dit pas qui les a permises : elles sont de nouveau demandées. Voyez `guarda registry list --said`
}
unattended-sum = Sans personne : { $done } faits, { $refused } refusés faute de quelqu'un pour dire oui, { $blocked } interdits, { $failed } échoués.
unattended-row = { $count ->
    [1] { "  " }{ $what }
   *[other] { "  " }{ $what } ({ $count } fois)
} : { $why }
unattended-more = { "  " }et { $count ->
    [one] une autre ligne
   *[other] { $count } autres lignes
}
unattended-next = `guarda history` raconte chacun. Autorisez d'avance ce qui doit passer : `guarda trust add DOSSIER`, `guarda network allow HÔTE`, `guarda registry allow COMMANDE`.
serve-twice = deuxième signal : annulation de ce qui est en cours
reload-done = la configuration a été relue et s'applique
reload-partly = les règles ont été relues et s'appliquent ; { $later } à partir du prochain démarrage
reload-kept = l'ancienne configuration continue de s'appliquer : { $why }
network-no-host = { $given } n'est pas un hôte : { $why }
network-no-service = le fichier lock du service n'indique aucun processus
network-no-table = `network` n'est pas une table
network-no-list = `network` n'a pas de liste à cet endroit
recovery-no-stages = rien ne peut être retenu ni annulé : { $why }
recovery-unrecorded = ceci n'a pas pu être enregistré : { $why }
recovery-committed = la validation de { $id } a été interrompue et est maintenant complète
recovery-taken-back = la validation de { $id } a été interrompue puis retirée : { $why }
recovery-undone = l'annulation { $id } a été interrompue et est maintenant complète
recovery-undo-taken-back = l'annulation de { $id } a été interrompue puis retirée : { $why }
recovery-unfinished = les changements de { $id } ont été interrompus et n'ont pas tous pu être retirés : { $why }. Les anciennes versions sont gardées : guarda undo --beside DOSSIER { $id }
rules-allows = permis sous cette forme
audit-by-policy = les règles
audit-by-grant = permis d'avance
audit-by-person = vous
audit-by-nobody = personne
audit-way-keys = touches
audit-way-keyboard = clavier de confiance
audit-way-terminal = terminal
audit-way-notification = notification
audit-way-console = console
audit-way-http = HTTP
audit-way-socket = ligne de commande
audit-way-spoken = voix
audit-way-mcp = client
audit-way-remote = ailleurs
audit-error-timeout = trop long
audit-error-cancelled = abandonné
audit-error-signalled = arrêté par signal
audit-error-not_found = introuvable
audit-error-no_player = aucun lecteur
audit-error-unavailable = impossible ici
audit-error-failed = échec
audit-error-unknown = issue inconnue
audit-error-not_begun = jamais commencé
audit-error-changed_since_approval = changé entre-temps
audit-error-redaction_failure = sortie retenue
audit-error-password_not_possible = pas de mot de passe
audit-answer-approve = oui
audit-answer-approve_all_hosts = oui, à tous les hôtes
audit-answer-deny = non
audit-answer-modify = modifié
audit-answer-timeout = sans réponse
audit-answer-wrong_codes = codes erronés
audit-answer-restart = redémarrage
audit-answer-unasked = pas demandé
audit-answer-withdrawn = retiré
audit-answer-mismatch = changé entre-temps

## Ce qui ne va pas dans une ligne de commande
usage-unknown-command = La commande { $given } n'existe pas.
usage-unknown-option = L'option { $given } n'existe pas ici.
usage-unexpected = { $given } est un mot de trop.
usage-value = { $given } n'est pas une valeur de { $option }.
usage-value-why = { $given } n'est pas une valeur de { $option } : { $why }
usage-no-value = { $option } demande une valeur.
usage-values = Valeurs possibles : { $values }
usage-missing = Il manque : { $given }
usage-missing-command = Il manque une commande.
usage-conflict = { $option } et { $given } s'excluent.
usage-once = { $option } ne peut figurer qu'une fois.
usage-many = { $option } n'accepte pas plus de valeurs.
usage-text = La ligne de commande n'est pas en UTF-8.
usage-similar = Vouliez-vous dire { $given } ?
usage-help = Plus : { $command }
usage-form-minutes = des minutes, de 1 à 1440, ou off
usage-form-when = écrivez 30m, 2h, 3d, 1w, 2026-11-21 ou 2026-11-21T18:00:00Z
usage-form-client = l'un de ceux-ci : claude, codex, gemini, copilot, cursor, opencode, openai-agents
usage-form-number = un nombre entier
usage-form-rate = un nombre de -100 à 100
usage-form-volume = un nombre de -100 à 100
usage-form-seconds = des secondes, de 1 à 600
bad-host-empty = le nom ou une de ses parties manque
bad-host-long = le nom est trop long
bad-host-character = il contient un caractère qu'aucun nom d'hôte n'a
bad-host-invalid = ce n'est pas un nom d'hôte valable
bad-host-port = un port va de 1 à 65535
token-no-name = « { $name } » ne convient pas comme nom de conteneur : de 1 à 32 lettres, chiffres, - ou _
tag-advice = second avis
tag-banned = interdit par son nom
tag-caller = ce que dit le demandeur
tag-catastrophic = perte irréparable
tag-container = conteneurs
tag-desktop = bureau
tag-destructive = suppression
tag-disk = disques
tag-evasion = déguisement
tag-exec = exécution de texte inconnu
tag-exfiltration = fuite de données
tag-files = fichiers
tag-git = historique git
tag-guard = le garde du corps lui-même
tag-keys = touches pressées
tag-network = réseau
tag-open = ouverture de fichier ou programme
tag-outside = hors des dossiers permis
tag-packages = paquets
tag-persistence = exécution qui continue ou revient
tag-plugin = module de contrôle
tag-power = arrêt
tag-privilege = droits d'administrateur
tag-process = autres processus
tag-protected = dossier protégé
tag-radio = réseaux sans fil
tag-registry = exécutions antérieures
tag-remote = service distant
tag-rights = permissions de fichiers
tag-screen = contenu de l'écran
tag-secrets = données secrètes
tag-self-approval = auto-approbation
tag-suspend = mise en veille
tag-system = réglages du système
tag-taint = session marquée
tag-tool = outil d'un agent
tag-unknown = inconnu
tag-url = adresse
tag-writes = écriture de fichiers
rules-about = sujet

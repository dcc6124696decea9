
# Ce que dit un problème : aux programmes en anglais, à une personne dans la langue de la demande.
title-malformed = La demande est mal formée
title-unauthorized = Il faut un jeton
title-guessing = Trop de jetons ou de codes faux
title-code-required = Il faut le code de la question
title-code-wrong = Ce n'est pas le code
title-forbidden = Ce jeton ne permet pas cela
title-foreign-origin = Les demandes de pages d'une autre origine sont refusées
title-not-found = Introuvable
title-method-not-allowed = Ce chemin n'accepte pas cette méthode
title-timed-out = La demande a mis trop de temps à arriver
title-settled = La question est déjà réglée
title-session-marked = La session a reçu une marque après le jugement
title-changed = L'objet a changé entre-temps
title-ticket-elsewhere = Le ticket vaut pour un autre dossier
title-too-large = Le contenu est trop long
title-unsupported-media-type = Seul application/json est accepté
title-misdirected = Le service ne porte pas ce nom
title-misread = La demande n'est pas comprise
title-empty-command = La commande est vide
title-key-reused = La clé d'idempotence a servi à une autre demande
title-sandbox-lacking = Cet ordinateur ne peut pas confiner la commande
title-registry-off = Le registre des commandes est désactivé
title-busy = Trop de demandes sont en cours ou en attente
title-closing = Le service s'arrête
title-record-failed = Le journal ne peut pas être écrit, et rien n'a été fait
title-internal = Le garde du corps a échoué
problem-no-question = Aucune question ouverte ne porte ce numéro ; `guarda pending` montre celles qui attendent
problem-settled = Cette question a reçu une réponse, a été retirée ou a expiré
problem-rank = Par cette voie, un oui ne vaut pas pour une question de ce risque ; seulement un non
problem-not-by-voice = Pour cette question, le oui ne vaut pas à la voix : répondez au clavier, dans le terminal ou dans la console
problem-say-words = À la voix, un oui, ce sont les deux mots que le garde du corps a dits : transmettez-les à /v1/questions/ID/heard
problem-unread = Les changements doivent être lus en entier avant un oui : dans le terminal, dans la console ou avec `guarda approve`
problem-not-offered = Cette question accepte oui ou non : la demande ne peut pas être permise une fois pour toutes
problem-fixed = Cette question accepte oui ou non, et aucune autre commande
problem-code-required = D'ici, un oui demande le code à quatre chiffres, montré et dit là où la question est posée ; { $count ->
    [1] il reste 1 essai
   *[other] il reste { $count } essais
}
problem-code-wrong = Ce n'est pas le code : il est montré et dit là où la question est posée ; { $count ->
    [1] il reste 1 essai
   *[other] il reste { $count } essais
}
problem-code-last = Ce n'est pas le code, et il ne reste plus d'essai : la réponse est non
problem-code-guessing = Trop de codes faux en une heure : un oui ne vaut que là où la question est posée
problem-console-code = La console demande un code à quatre chiffres, montré et dit maintenant à l'ordinateur
problem-console-link = Ce lien n'ouvre plus la console : relancez guarda console
problem-console-last = Ce n'est pas le code, et il ne reste plus d'essai : redemandez la console dans deux minutes
problem-answers-off = Répondre par ce service est désactivé (server.answer_over_http)
problem-silence = Le silence dure au plus un jour
problem-asker = Le jeton qui sert à demander ne répond pas aux questions. Prenez celui du fichier `approve-token`
problem-unheld = Rien n'en est conservé ; `guarda undo --list` montre ce qui peut être annulé
problem-no-session = Cette session n'est pas connue ; `guarda session list` montre celles qui le sont
problem-language = la langue « { $name } » n'existe pas ici : écrivez pt-BR, en ou fr
problem-marked = la session a reçu une marque après le jugement, et rien n'a été fait ; redemandez, et la demande sera jugée avec la nouvelle marque
problem-foreign-session = la session { $name } appartient à un autre programme, et rien n'a été fait ; nommez-en une autre, ou aucune
problem-changed = { $name } a changé pendant que la question était ouverte, et rien n'a été fait ; redemandez
problem-no-registry = le registre des commandes est désactivé (registry.enabled), et c'est lui qui garde les jetons
problem-busy = Trop de demandes attendent ; réessayez plus tard
problem-closing = Le garde du corps s'arrête ; rien n'a été fait
problem-no-folder = le dossier « { $name } » n'existe pas ; indiquez-en un qui existe dans « cwd »
problem-too-many-paths = la commande cite plus de 1024 chemins ; partagez-la
problem-too-much = la commande dépend de plus de fichiers qu'on ne peut en surveiller pendant la question ; partagez-la
problem-slow-files = les fichiers dont dépend l'action n'ont pas répondu à temps ; redemandez
misread-missing = le champ « { $field } » manque
misread-type = le champ « { $field } » doit être : { $hint }
misread-value = « { $value } » ne convient pas à « { $field } » : { $hint }
misread-unread = cette action n'accepte pas « { $field } »
misread-unread-meant = cette action n'accepte pas « { $field } » ; vouliez-vous dire « { $meant } » ?
misread-empty = écrivez la commande dans « target »
misread-twice = « args » et « params » sont deux noms du même champ ; n'en donnez qu'un
hint-web-address = une adresse web, comme https://example.org/page, ou ce qu'il faut chercher
hint-whole-command = RUN_COMMAND prend toute la ligne de commande dans « target »
hint-shorter-command = une commande a au plus 4096 caractères, et aucun NUL ; mettez un texte plus long dans un fichier et exécutez-le
hint-level = up, down, set, mute, unmute, toggle, un nombre de 0 à 100, ou +20 et -20 pour des pas
hint-percent = un nombre de 0 à 100
hint-media-key = play, pause, play-pause, next, previous ou stop
hint-repeat = off, track ou all
hint-seconds = des secondes, avec un moins pour reculer, au plus une heure : 30 ou -10
hint-run = l'id d'une exécution (« id » ou « audit_id » de sa réponse), ou rien pour la dernière
hint-switch = on, off ou toggle
hint-file-operation = open, list, copy, move, delete ou mkdir
hint-chord = une touche, ou des modificateurs et une touche joints par '+', comme ctrl+tab, alt+f4, y
hint-confidence = un nombre de 0 à 1
hint-session = de 1 à 64 lettres, chiffres, '-', '_' ou '.', sans commencer par '.'
hint-sandbox = « none », « confined » ou « isolated » ; ce que dit la configuration est le minimum
hint-shorter-text = un texte plus court, sans caractères NUL
hint-text-or-null = du texte ou null
hint-arguments = du texte, un nombre, un objet ou null
hint-text = du texte
hint-once = donné une seule fois
hint-only-amount = la seule quantité
hint-command = RUN_COMMAND
## Pourquoi personne n'a été consulté
cause-gone = celui qui demandait est parti
cause-called-off = la demande a été retirée
cause-granted = une autorisation donnée entre-temps vaut aussi pour ceci
cause-not-awaited = la commande a continué sans attendre la réponse
cause-silenced = le silence a été activé ; `guarda silence off` y met fin
cause-muted = le silence est actif pour encore { $seconds ->
    [one] { $seconds } seconde
   *[other] { $seconds } secondes
  } : j'ai refusé sans demander ; `guarda silence off` y met fin
cause-refused = { $times ->
    [one] { $times } question de cette session a été refusée
   *[other] { $times } questions de cette session ont été refusées
  } en une minute ; elle pourra redemander dans { $seconds ->
    [one] { $seconds } seconde
   *[other] { $seconds } secondes
  }
cause-quiet-hours = ce sont les heures calmes (speech.quiet_hours)
cause-no-human = le garde du corps tourne sans personne (--no-human)
cause-told-first = le demandeur est averti en premier ; la question vous est posée s'il redemande la même chose
cause-closing = le garde du corps s'arrête
cause-ended = le garde du corps s'est arrêté alors que la question était ouverte
cause-unknown-action = l'action n'est pas dans le vocabulaire
cause-lost = la question s'est perdue
cause-twice = une question avec ce numéro est déjà ouverte
cause-no-digit = aucun chiffre n'a pu être tiré au hasard pour la question ({ $error })
cause-no-code = aucun code n'a pu être tiré au hasard pour la question ({ $error })
cause-unrecorded = la question n'a pas pu être consignée ({ $error })
cause-no-channel = rien ne permettait de poser la question ({ $lacks })
cause-kept = le oui est venu après une exécution précédente de la commande
refusal-person = une personne a dit non
refusal-silence = personne n'a répondu à temps ; un oui dans les dix minutes vaut quand la commande est exécutée de nouveau
refusal-wrong-codes = la réponse avait un code faux
refusal-unasked = il n'y avait personne à qui demander
refusal-unapproved = il n'a pas été approuvé
refusal-other-host = la réponse concernait un autre serveur
refusal-unrecorded = la question à son sujet n'a pas pu être consignée
refusal-never = c'est { $what }, et la commande approuvée ne le nomme pas
refusal-denied = la configuration l'interdit
refusal-own = c'est un port du garde du corps lui-même
refusal-too-many = la commande a voulu trop de serveurs non approuvés
refusal-unfit = { $address } est { $what }
refusal-nowhere = il n'a pas d'adresse
refusal-unresolved = son nom est introuvable
refusal-unreachable = il est injoignable
refusal-named = le programme nomme un autre serveur : { $host }
refusal-protocol = { $protocol ->
    [web] le programme ne parle ni TLS ni HTTP/1.1
    [ssh] le programme ne parle pas SSH
   *[any] le programme ne parle pas le protocole attendu
}
refusal-second-request = une deuxième requête sur la connexion de la première
refusal-because = { $reason } : { $why }
address-public = une adresse publique
address-loopback = cet ordinateur lui-même
address-private = une adresse du réseau local
address-carrier-nat = une adresse du réseau partagé du fournisseur
address-unique-local = une adresse IPv6 privée
address-link-local = une adresse du lien local
address-metadata = un service de nuage qui distribue des identifiants
address-multicast = une adresse à plusieurs destinataires
address-unspecified = une adresse non spécifiée, qui mène à cet ordinateur
address-reserved = une adresse réservée
hindrance-unknown = une partie n'en est connue qu'à l'exécution
hindrance-starts = elle lance d'autres programmes
hindrance-variables = elle définit des variables
hindrance-no-program = elle ne lance aucun programme
hindrance-launcher = ce que son programme exécute dépend des arguments ou de fichiers
hindrance-risky = son risque est trop élevé
hindrance-sends = elle peut envoyer quelque chose ailleurs
hindrance-elsewhere = son programme n'est pas dans un dossier du système
hindrance-missing = son programme n'est pas installé
hindrance-unseen = son programme n'a pas été examiné
hindrance-no-command = ce n'est pas une ligne de commande
hindrance-unread = je ne peux pas la lire avec certitude
hindrance-strict = les règles l'interdisent ou demandent un mot de passe
hindrance-each-time = les règles veulent que je demande à chaque fois
hindrance-forbidden = les règles l'interdisent, et aucune décision n'y change rien
hindrance-tainted = la conversation avait lu du texte venu d'ailleurs, ou des secrets
learned-promoted = elle a réussi assez souvent
learned-failed = elle a échoué après avoir obtenu l'approbation
learned-unused = elle n'a pas servi depuis trop longtemps
learned-held-back = les règles ne lui permettent plus d'obtenir l'approbation
learned-high-risk = son risque est élevé
learned-bad-record = elle a échoué trop souvent
learned-recovered = plus rien ne s'y oppose
learned-person = vous ({ $channel })
mark-action = { $what ->
    [both] elle a lu sur le réseau, et aussi ce qui peut être secret
    [secret] elle a lu ce qui peut être secret
   *[network] elle a lu sur le réseau
  } ({ $kind })
mark-hosts = elle a reçu des données de { $hosts }
mark-said = le demandeur a dit : { $reason }
mark-caller = le demandeur l'a dit
mark-service = le service { $name } a été utilisé
mark-cleaned = sa sortie a dû être nettoyée : { $secrets }
mark-tool = l'outil { $name } a été utilisé
mark-lost = ses marques ont été perdues
mark-no-room = il n'y avait pas de place pour garder ses marques
mark-removed = une personne a enlevé les marques
mark-all-removed = une personne a enlevé les marques de toutes les sessions

## A refusal, for the program or the model that asked
refused = { $who } ; ce n'est pas fait ; { $instead }.
refused-because = { $who } : { $why } ; ce n'est pas fait ; { $instead }.
refused-what = la demande « { $effect } »
refused-what-staged = une commande qui { $what }
refused-person = l'utilisateur a refusé { $what }
refused-time = personne n'a répondu à temps pour { $what }
refused-nobody = il n'y avait personne à qui poser la question pour { $what }
refused-rules = les règles ne permettent pas { $what }
refused-limit = pour l'instant, l'utilisateur n'est plus interrogé sur { $what }
refused-caller = { $what } a été retirée avant toute réponse
refused-guard = aucune réponse valable n'est venue pour { $what }
refused-cell = personne n'a encore été interrogé sur { $what }
refused-password = il faut un mot de passe, et le mode avancé est désactivé
refused-codes = trois codes erronés sont venus d'ailleurs
refused-do-other = demandez à l'utilisateur quoi faire à la place, et ne la renvoyez pas telle quelle
refused-do-reason = faites comme dit l'utilisateur, et ne la renvoyez pas telle quelle
refused-do-late = prévenez l'utilisateur : un oui d'ici dix minutes compte quand la même commande est renvoyée
refused-do-later = renvoyez-la quand l'utilisateur pourra répondre
refused-do-reach = demandez à l'utilisateur de lancer `guarda doctor`, qui dit comment les questions l'atteignent
refused-do-alone = faites-le autrement, ou laissez-le et dites dans votre rapport ce qui demande un oui
refused-do-insist = faites sans, ou relancez la même ligne dans les dix minutes, et une personne est interrogée
refused-do-quiet = continuez avec ce qui n'exige pas de oui jusqu'à ce que l'utilisateur reprenne les questions
refused-do-limit = continuez avec ce qui n'exige pas de oui, et renvoyez-la après { $seconds ->
    [one] { $seconds } seconde
   *[other] { $seconds } secondes
  }
refused-do-rules = trouvez un moyen qui s'en passe, ou laissez faire l'utilisateur
refused-do-password = laissez l'utilisateur le faire dans un terminal
refused-do-again = renvoyez-la si elle est toujours voulue
refused-do-known = utilisez une action que guarda connaît

## Folders that cannot be trusted
not-trustable-missing = ce dossier n'existe pas
not-trustable-home = c'est votre dossier personnel, ou il le contient
not-trustable-hidden = des programmes y gardent leurs réglages
not-trustable-on-path = des programmes en sont lancés
not-trustable-shared = il appartient à un autre utilisateur, ou d'autres peuvent y écrire
not-trustable-name = son nom n'est pas du texte simple, ou contient ce qui ressemble à un secret
problem-not-trustable = Impossible de faire confiance à ce dossier : { $why }
problem-not-trusted = Ce dossier n'est pas de confiance
problem-not-grantable = Cette commande ne peut pas être autorisée d'avance : { $why }
problem-not-granted = Rien de cela n'a été dit d'avance

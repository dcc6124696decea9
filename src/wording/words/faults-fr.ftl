
# Ce qui ne va pas dans une configuration et dans ses règles.
fault-at = { $file }, ligne { $line }
fault-meant = { $what } ; vouliez-vous dire « { $meant } » ?
fault-allowed = { $what } ; admis ici : { $allowed }
fault-unknown-key = la clé « { $given } » n'existe pas
fault-unknown-value = « { $given } » n'est pas une valeur admise ici
fault-missing-key = il manque la clé « { $given } »
fault-duplicate-key = clé répétée : elle figure déjà plus haut
fault-type = ceci doit être { $expected }, et non { $given }
fault-expected-text = un texte
fault-expected-whole = un nombre entier
fault-expected-number = un nombre
fault-expected-switch = true ou false (vrai ou faux)
fault-expected-list = une liste
fault-expected-table = une table
fault-expected-names = une liste de noms de programmes, ou bien true ou false
fault-expected-host = un hôte, ou une table contenant un hôte
fault-given-text = le texte « { $given } »
fault-given-unnamed = ce qui est écrit
fault-syntax-unquoted = un texte doit être entre guillemets
fault-syntax-text = ce texte n'est pas terminé, ou contient un caractère à échapper
fault-syntax-unclosed = un crochet ou une accolade n'est pas fermé
fault-syntax-no-value = une clé doit être suivie de = et d'une valeur
fault-syntax-equals = il y a un = de trop
fault-syntax-comma = il manque une virgule ici, ou il y en a une de trop
fault-syntax-key = ceci n'est pas une clé : lettres, chiffres, - et _, ou un texte entre guillemets
fault-syntax-number = un nombre ne s'écrit pas ainsi
fault-syntax-line = le réglage se termine ici : le suivant doit avoir sa propre ligne
fault-whole-number = { $given } est hors limites : écrivez un nombre entier de { $low } à { $high }
fault-number = { $given } est hors limites
fault-share = { $given } est hors limites : écrivez un nombre de 0 à 1
fault-risk = { $given } est hors limites : écrivez un nombre de 0 à 1, ou 2 pour jamais
fault-low-risk = { $given } est hors limites : écrivez un nombre de 0 à 0.9 ; le plus grave n'est jamais approuvé par ce moyen
fault-address = « { $given } » n'est pas une adresse ; écrivez adresse:port, comme 127.0.0.1:4827 ou [::1]:0
fault-search-path = « { $given } » n'est pas un chemin de recherche : écrivez des dossiers absolus séparés par ':'
fault-chord = « { $given } » ne convient pas ici : écrivez "hold", ou une lettre avec super, ou avec ctrl et alt, comme "super+y"
fault-same-chord = keys.yes et keys.no sont tous deux "{ $given }" : choisissez une autre combinaison pour l'un d'eux
fault-hours = « { $given } » n'est pas une plage horaire : écrivez "22:00-07:00", ou "" pour jamais
fault-postgres = ceci n'est pas l'adresse d'un PostgreSQL : écrivez postgres://utilisateur@hôte/base
fault-collector = « { $given } » n'est pas l'adresse d'un collecteur : écrivez http://127.0.0.1:4318 ; là où il faut chiffrer, un collecteur sur cet ordinateur peut transmettre les données
fault-tool-name = « { $given } » n'est pas le nom d'un outil
fault-host-name = « { $given } » n'est pas un nom d'hôte : lettres, chiffres, '.' et '-', sans protocole ni port
fault-host = « { $given } » n'est pas un hôte : { $why }
fault-endpoint = « { $given } » n'est pas une adresse http : écrivez http://127.0.0.1:11434/v1 ou semblable
fault-endpoint-https = un serveur de modèles se joint par http, et non par https : utilisez un serveur sur cet ordinateur, ou un tunnel vers lui (ssh -L)
fault-endpoint-key = une clé d'accès se met dans endpoint.key_file, pas dans l'adresse
fault-checks = indiquez au moins l'un de "network", "folders", "injection", chacun une seule fois
fault-property = ceci n'est pas une propriété de service : écrivez true, false ou "forbidden"
fault-reachable = server.listen vaut { $given }, que d'autres ordinateurs peuvent joindre : utilisez 127.0.0.1 ou [::1], ou écrivez server.allow_remote = true si c'est voulu
fault-remote-endpoint = endpoint.address vaut { $given }, qui n'est pas cet ordinateur : les questions y seraient envoyées sans chiffrement ; utilisez 127.0.0.1, ou écrivez endpoint.allow_remote = true si c'est voulu
fault-no-model = advice.enabled = true demande advice.model : le nom d'un modèle, tel que `ollama list` l'affiche
fault-other = ceci ne peut pas être utilisé ({ $given })
## Règles
rules-fault-mixed = « { $rule } » mêle ce qui se dit des commandes et ce qui se dit des changements
rules-fault-locks = seules les règles fixes sont verrouillées ; retirez `locked` de « { $rule } »
rules-fault-locked = la règle « { $rule } » est verrouillée, car c'est une règle fixe ; donnez un autre nom à la vôtre
rules-fault-no-command = « { $given } » n'est pas une commande : { $detail }
rules-fault-no-list = la liste « { $given } » n'existe pas
rules-fault-circular = la liste « { $given } » se contient elle-même
rules-fault-no-class = la classe d'emplacements « { $given } » n'existe pas
rules-fault-no-fact = le fait « { $given } » n'existe pas
rules-fault-no-change = le changement « { $given } » n'existe pas
rules-fault-no-kind = le genre « { $given } » n'existe pas
rules-fault-no-check = la vérification « { $given } » n'existe pas
rules-fault-flag = impossible de lire l'option « { $given } »
rules-fault-verdict = le verdict « { $given } » n'existe pas : écrivez allow, review, confirm, password ou block
rules-fault-no-verdict = la règle n'a pas de verdict
rules-fault-effect-verdict = le verdict doit être `allow`, `confirm` ou `block`
rules-fault-risk = le risque { $given } n'est pas entre 0 et 1
rules-fault-too-many = le maximum est dépassé ({ $given })
rules-fault-packing = impossible de lire les règles intégrées ({ $given })
rules-fault-example = { $matches ->
    [true] la règle « { $rule } » devrait s'appliquer à `{ $line }`, et elle ne s'y applique pas
   *[false] la règle « { $rule } » ne devrait pas s'appliquer à `{ $line }`, et elle s'y applique
}
rules-fault-unreadable = règle « { $rule } » : l'exemple `{ $line }` ne peut pas être lu ({ $why })
rules-fault-within = règle « { $rule } » : { $why }
## Parties du fichier sans effet
config-notice-section = [{ $given }] est une section propre à l'assistant ; le garde du corps ne l'utilise pas
config-notice-key = { $given } est une clé propre à l'assistant ; le garde du corps ne l'utilise pas
config-notice-sandbox-network = sandbox.network n'est plus lu : les tables d'hôtes disent quelles commandes utilisent le réseau ([network])
config-notice-confirmation-switch = security.require_confirmation = { $given } ne change rien : les règles décident de ce qui vous est demandé ; une liste de noms de programmes en ajoute
## Fichiers
file-unusable = { $path } est inutilisable. { $why }
file-fault-system = le système a répondu par une erreur ({ $given })
file-fault-not-plain = ce n'est pas un fichier ordinaire
file-fault-foreign = il appartient à l'utilisateur { $given }, qui pourrait changer ce qui est permis ici
file-fault-writable = tout le monde peut le modifier : lancez `chmod o-w` sur ce fichier
file-fault-too-long = il dépasse 1 Mio, ce qui n'est pas une configuration
file-fault-not-own = ce n'est pas un fichier ordinaire de cet utilisateur
file-fault-readable = d'autres utilisateurs peuvent le lire : supprimez-le, et le prochain démarrage crée une nouvelle clé
file-fault-no-token = il ne contient pas de clé : supprimez-le, et le prochain démarrage en crée une nouvelle
file-fault-link = c'est un lien symbolique : indiquez le dossier lui-même
file-fault-not-folder = ce n'est pas un dossier
file-fault-of-user = il appartient à l'utilisateur { $given }, et non à celui-ci
file-fault-in-use = un autre garde du corps (processus { $given }) utilise ce dossier d'état : arrêtez-le, ou faites pointer GUARDA_STATE_DIR vers un autre
file-fault-exists = il existe déjà
file-fault-container-name = « { $given } » ne convient pas comme nom de conteneur : de 1 à 32 lettres, chiffres, '-' ou '_'
file-fault-unreadable = son contenu est illisible ({ $given })
record-unwritable = le journal ne peut pas être écrit : { $why }
record-fault-open = { $given } est ouvert aux autres et contient d'autres fichiers ; indiquez un autre dossier, ou lancez `chmod 700` dessus
record-fault-no-folder = { $given } est un lien ou n'est pas un dossier ; indiquez un vrai dossier
record-fault-link = { $given } est un lien ; supprimez-le
record-fault-busy = un autre garde du corps tient son journal dans { $given } ; indiquez un autre dossier
record-fault-not-plain = { $given } n'est pas un fichier ordinaire à un seul nom ; déplacez-le
record-fault-replaced = { $given } a été supprimé ou remplacé ; remettez-le, ou redémarrez le garde du corps pour commencer un nouveau journal
record-fault-of-user = { $place } appartient à l'utilisateur { $uid } ; indiquez un dossier à vous
record-fault-session-name = le nom d'une session a de 1 à 64 lettres, chiffres, '-', '_' ou '.', et ne commence pas par '.'
record-fault-no-key = { $given } ne contient pas de clé ; déplacez-le pour qu'une nouvelle soit créée
record-fault-no-random = le système n'a pas donné de nombres aléatoires pour une clé ({ $given })
record-fault-secrets = les secrets d'une ligne n'ont pas pu être cachés ({ $given })
record-fault-encoding = une ligne ne peut pas être encodée ({ $given })
record-fault-closed = le journal est fermé parce que le garde du corps s'arrête
record-system-full = le disque est plein ; libérez de la place
record-system-file-size = un fichier a atteint la taille maximale permise ; augmentez la limite de taille des fichiers
record-system-read-only = le disque est en lecture seule ; rendez-le accessible en écriture ou indiquez un autre dossier
record-system-missing = il est absent ; remettez-le, ou redémarrez le garde du corps pour commencer un nouveau journal
record-system-not-allowed = le garde du corps n'y a pas droit ; donnez le dossier à son utilisateur, mode 700
record-system-other = une erreur du système ; corrigez-la et réessayez ({ $why })
record-unrecorded = l'action a été faite, mais le journal ne peut pas être écrit : { $why }
record-warning-table-gone = la table signée des têtes a disparu : les fichiers sont acceptés tels quels
record-warning-table-broken = la table signée des têtes a été mise de côté ({ $given })
record-warning-damaged = le journal de la session { $session } a été mis de côté, car il est abîmé ({ $damage })
record-warning-moved = jusqu'ici, le journal se trouvait dans { $given }
record-warning-behind = le journal est en retard sur son ancre, comme le serait une copie plus ancienne : { $why }
record-warning-behind-elsewhere = le journal est en retard sur son ancre dans { $place } : { $why }
record-lost-anchor = l'ancre à côté de la clé a disparu
record-lost-record = il y a une clé, mais le journal et son ancre ont disparu
record-lost-broken-anchor = l'ancre à côté de la clé n'est pas valable ({ $given })
record-lost-broken-copy = elle n'est pas valable ({ $given })
record-lost-part = la partie { $part } de la session { $session } a disparu
record-lost-lines = { $count ->
    [one] { $count } ligne perdue
   *[other] { $count } lignes perdues
  } de la session { $session }
record-lost-rewritten = la session { $given } a été réécrite
record-line = { $file }, ligne { $line }
record-what-changed = modifié
record-what-removed = retiré
record-what-inserted = inséré
record-what-reordered = en désordre
record-what-cut = coupé
record-what-missing = absent
record-what-misplaced = au mauvais endroit
record-what-unreadable = illisible
record-what-unsigned = non signé
record-what-put-aside = mis de côté
record-evidence-no-folder = il y a une clé, mais le dossier du journal a disparu
record-evidence-no-record = il y a une clé, mais aucun journal signé par elle
record-evidence-no-table = la table signée a disparu : des lignes coupées à la fin passeraient inaperçues
record-evidence-broken-table = la table signée n'est pas valable ({ $given })
record-evidence-noted = quelque chose manquait ou était abîmé au démarrage du garde du corps ; supprimez ce fichier quand vous saurez pourquoi
record-evidence-damaged = le garde du corps l'a trouvé abîmé et mis de côté
record-evidence-no-anchor = l'ancre du journal a disparu
record-evidence-broken-anchor = l'ancre n'est pas valable ({ $given })
record-evidence-no-part = { $lines ->
    [one] la partie { $part } de la session { $session }, de { $lines } ligne,
   *[other] la partie { $part } de la session { $session }, de { $lines } lignes,
  } a disparu
record-evidence-no-anchored-part = { $lines ->
    [one] la partie { $part } de la session { $session }, de { $lines } ligne,
   *[other] la partie { $part } de la session { $session }, de { $lines } lignes,
  } a disparu : l'ancre la connaît
record-evidence-behind-anchor = { $gone ->
    [one] il manque { $gone } ligne
   *[other] il manque { $gone } lignes
  } : l'ancre en connaît { $lines }
record-evidence-unlike-anchor = cette ligne diffère de l'ancre : elle et les précédentes ont été réécrites
record-evidence-not-read = il est impossible de lire la suite ({ $given })
record-evidence-half-line = une ligne inachevée suit la dernière
record-evidence-never-sealed = aucun fichier de ce nom n'a été signé
record-evidence-other-file = ce n'est pas la suite du fichier précédent
record-evidence-cut-off = { $gone ->
    [one] { $gone } ligne a été coupée
   *[other] { $gone } lignes ont été coupées
  } à la fin : { $lines } étaient signées
record-evidence-unlike-head = cette ligne diffère de ce qui a été signé : elle a été modifiée, ou elle et les précédentes ont été réécrites
record-evidence-added-later = elle a été ajoutée après la signature de la fin du fichier
record-evidence-no-line = elle n'est pas là
record-evidence-moved = une autre ligne est ici ; celle qui devrait y être est la ligne { $given }
record-evidence-put-in = elle a été insérée : la ligne qui devrait être ici la suit
record-evidence-put-behind = elle a été mise après la dernière ligne signée
record-evidence-garbled = ce n'est pas une ligne du journal
record-evidence-taken-out = { $given ->
    [one] { $given } ligne a été retirée
   *[other] { $given } lignes ont été retirées
  } avant elle
record-evidence-number-of = elle porte le numéro de la ligne { $given }
record-evidence-other-hash = la ligne suivante porte un autre condensat
record-evidence-other-line = ce n'est pas la suite de la ligne précédente
record-remark-own-key = vérifié avec la clé que la table signée indique elle-même, { $given } : comparez-la à la vôtre
record-remark-other-record = { $place } est l'ancre du journal dans { $other }, et non de celui-ci
record-remark-no-anchor-yet = { $given } n'existe pas encore : une ancienne copie du journal passerait inaperçue
record-remark-no-anchor-there = { $given } n'a pas d'ancre de ce journal
record-remark-unread-anchor = l'ancre dans { $place } ne peut pas être lue ({ $why })
record-remark-expired = la partie { $part } de la session { $session } a été supprimée à la fin de son délai
record-remark-half-written = { $given } se termine au milieu d'une ligne : elle est en cours d'écriture, ou la machine s'est arrêtée
record-remark-after-damage = { $place } commence par une note de dommage ({ $damage })

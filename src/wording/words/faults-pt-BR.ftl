
# O que está errado numa configuração e nas suas regras.
fault-at = { $file }, linha { $line }
fault-meant = { $what }; você quis dizer “{ $meant }”?
fault-allowed = { $what }; aqui valem: { $allowed }
fault-unknown-key = a chave “{ $given }” não existe
fault-unknown-value = “{ $given }” não é um valor aceito aqui
fault-missing-key = falta a chave “{ $given }”
fault-duplicate-key = chave repetida: ela já aparece acima
fault-type = isto deve ser { $expected }, e não { $given }
fault-expected-text = um texto
fault-expected-whole = um número inteiro
fault-expected-number = um número
fault-expected-switch = true ou false
fault-expected-list = uma lista
fault-expected-table = uma tabela
fault-expected-names = uma lista de nomes de programas, ou true ou false
fault-expected-host = um host, ou uma tabela com um host
fault-given-text = o texto “{ $given }”
fault-given-unnamed = o que está escrito
fault-syntax-unquoted = um texto precisa de aspas
fault-syntax-text = este texto não termina, ou tem um caractere que precisa de escape
fault-syntax-unclosed = falta fechar um colchete ou uma chave
fault-syntax-no-value = uma chave precisa de = e de um valor
fault-syntax-equals = há um = a mais
fault-syntax-comma = falta uma vírgula aqui, ou há uma a mais
fault-syntax-key = isto não é uma chave: letras, algarismos, - e _, ou um texto entre aspas
fault-syntax-number = não é assim que se escreve um número
fault-syntax-line = o ajuste termina aqui: o próximo precisa de uma linha só para ele
fault-whole-number = { $given } está fora dos limites: escreva um número inteiro de { $low } a { $high }
fault-number = { $given } está fora dos limites
fault-share = { $given } está fora dos limites: escreva um número de 0 a 1
fault-risk = { $given } está fora dos limites: escreva um número de 0 a 1, ou 2 para nunca
fault-low-risk = { $given } está fora dos limites: escreva um número de 0 a 0.9; o mais grave nunca se aprova por esse meio
fault-address = “{ $given }” não é um endereço; escreva endereço:porta, como 127.0.0.1:4827 ou [::1]:0
fault-search-path = “{ $given }” não é um caminho de busca: escreva pastas absolutas separadas por ':'
fault-chord = “{ $given }” não serve aqui: escreva "hold", ou uma letra com super, ou com ctrl e alt, como "super+y"
fault-same-chord = keys.yes e keys.no são ambos "{ $given }": escolha outra combinação para um deles
fault-hours = “{ $given }” não é um intervalo de horas: escreva "22:00-07:00", ou "" para nunca
fault-postgres = isto não é o endereço de um PostgreSQL: escreva postgres://usuário@host/banco
fault-collector = “{ $given }” não é o endereço de um coletor: escreva http://127.0.0.1:4318; onde for preciso cifrar, um coletor neste computador pode repassar os dados
fault-tool-name = “{ $given }” não é o nome de uma ferramenta
fault-host-name = “{ $given }” não é um nome de host: letras, algarismos, '.' e '-', sem protocolo nem porta
fault-host = “{ $given }” não é um host: { $why }
fault-endpoint = “{ $given }” não é um endereço http: escreva http://127.0.0.1:11434/v1 ou semelhante
fault-endpoint-https = o servidor de modelos é acessado por http, não por https: use um servidor neste computador, ou um túnel até ele (ssh -L)
fault-endpoint-key = a chave de acesso fica em endpoint.key_file, não no endereço
fault-checks = indique ao menos um de "network", "folders", "injection", cada um uma só vez
fault-property = isto não é uma propriedade de serviço: escreva true, false ou "forbidden"
fault-reachable = server.listen é { $given }, que outros computadores alcançam: use 127.0.0.1 ou [::1], ou ponha server.allow_remote = true se é o que você quer
fault-remote-endpoint = endpoint.address é { $given }, que não é este computador: as perguntas iriam até lá sem cifra; use 127.0.0.1, ou ponha endpoint.allow_remote = true se é o que você quer
fault-no-model = advice.enabled = true precisa de advice.model: o nome de um modelo, como `ollama list` o mostra
fault-other = isto não pode ser usado ({ $given })
## Regras
rules-fault-mixed = “{ $rule }” mistura o que se diz de comandos com o que se diz de mudanças
rules-fault-locks = só a base embutida é fixa; tire `locked` de “{ $rule }”
rules-fault-locked = a regra “{ $rule }” é fixa, porque faz parte da base; dê outro nome à sua
rules-fault-no-command = “{ $given }” não é um comando: { $detail }
rules-fault-no-list = a lista “{ $given }” não existe
rules-fault-circular = a lista “{ $given }” contém a si mesma
rules-fault-no-class = a classe de lugares “{ $given }” não existe
rules-fault-no-fact = o fato “{ $given }” não existe
rules-fault-no-change = a mudança “{ $given }” não existe
rules-fault-no-kind = o tipo “{ $given }” não existe
rules-fault-no-check = a verificação “{ $given }” não existe
rules-fault-flag = não consigo ler a opção “{ $given }”
rules-fault-verdict = o veredito “{ $given }” não existe: escreva allow, review, confirm, password ou block
rules-fault-no-verdict = a regra não tem veredito
rules-fault-effect-verdict = o veredito é `allow`, `confirm` ou `block`
rules-fault-risk = o risco { $given } não está entre 0 e 1
rules-fault-too-many = passa do máximo ({ $given })
rules-fault-packing = as regras embutidas não podem ser lidas ({ $given })
rules-fault-example = { $matches ->
    [true] a regra “{ $rule }” deveria valer para `{ $line }` e não vale
   *[false] a regra “{ $rule }” não deveria valer para `{ $line }` e vale
}
rules-fault-unreadable = regra “{ $rule }”: o exemplo `{ $line }` não pode ser lido ({ $why })
rules-fault-within = regra “{ $rule }”: { $why }
## Partes do arquivo sem efeito
config-notice-section = [{ $given }] é uma seção do próprio assistente; o guarda-costas não a usa
config-notice-key = { $given } é uma chave do próprio assistente; o guarda-costas não a usa
config-notice-sandbox-network = sandbox.network não é mais lido: as tabelas de hosts dizem quais comandos usam a rede ([network])
config-notice-confirmation-switch = security.require_confirmation = { $given } não muda nada: as regras decidem o que é perguntado; uma lista de nomes de programas acrescenta perguntas
## Arquivos
file-unusable = { $path } não pode ser usado. { $why }
file-fault-system = o sistema respondeu com um erro ({ $given })
file-fault-not-plain = não é um arquivo comum
file-fault-foreign = pertence ao usuário { $given }, que poderia mudar o que é permitido aqui
file-fault-writable = qualquer usuário pode alterá-lo: rode `chmod o-w` nesse arquivo
file-fault-too-long = tem mais de 1 MiB, o que não é uma configuração
file-fault-not-own = não é um arquivo comum deste usuário
file-fault-readable = outros usuários podem lê-lo: apague-o, e o próximo início cria outra chave
file-fault-no-token = não contém uma chave: apague-o, e o próximo início cria outra
file-fault-link = é um link simbólico: indique a própria pasta
file-fault-not-folder = não é uma pasta
file-fault-of-user = pertence ao usuário { $given }, e não a este
file-fault-in-use = outro guarda-costas (processo { $given }) usa esta pasta de estado: encerre-o, ou aponte GUARDA_STATE_DIR para outra
file-fault-exists = já existe
file-fault-container-name = “{ $given }” não serve como nome de contêiner: de 1 a 32 letras, algarismos, '-' ou '_'
file-fault-unreadable = o conteúdo não pode ser lido ({ $given })
record-unwritable = o registro não pode ser escrito: { $why }
record-fault-open = { $given } está aberta a outros e contém outros arquivos; indique outra pasta, ou rode `chmod 700` nela
record-fault-no-folder = { $given } é um link ou não é uma pasta; indique uma pasta de verdade
record-fault-link = { $given } é um link; remova-o
record-fault-busy = outro guarda-costas mantém o registro em { $given }; indique outra pasta
record-fault-not-plain = { $given } não é um arquivo comum de um só nome; tire-o daí
record-fault-replaced = { $given } foi removido ou substituído; ponha-o de volta, ou reinicie o guarda-costas para começar um registro novo
record-fault-of-user = { $place } pertence ao usuário { $uid }; indique uma pasta sua
record-fault-session-name = o nome de uma sessão tem de 1 a 64 letras, dígitos, '-', '_' ou '.', e não começa com '.'
record-fault-no-key = { $given } não contém uma chave; tire-o daí para que outra seja criada
record-fault-no-random = o sistema não deu números aleatórios para uma chave ({ $given })
record-fault-secrets = não foi possível esconder os segredos de uma linha ({ $given })
record-fault-encoding = uma linha não pode ser codificada ({ $given })
record-fault-closed = o registro está fechado porque o guarda-costas está encerrando
record-system-full = o disco está cheio; libere espaço
record-system-file-size = um arquivo chegou ao tamanho máximo permitido; aumente o limite de tamanho dos arquivos
record-system-read-only = o disco é somente leitura; torne-o gravável ou indique outra pasta
record-system-missing = não está lá; ponha de volta, ou reinicie o guarda-costas para começar um registro novo
record-system-not-allowed = o guarda-costas não tem permissão; dê a pasta ao usuário dele, com modo 700
record-system-other = um erro do sistema; corrija-o e tente de novo ({ $why })
record-unrecorded = a ação foi feita, mas o registro não pode ser escrito: { $why }
record-warning-table-gone = a tabela assinada das pontas sumiu: os arquivos são aceitos como estão
record-warning-table-broken = a tabela assinada das pontas foi posta de lado ({ $given })
record-warning-damaged = o registro da sessão { $session } foi posto de lado por estar danificado ({ $damage })
record-warning-moved = até agora o registro ficava em { $given }
record-warning-behind = o registro está atrás da sua âncora, como estaria uma cópia mais antiga: { $why }
record-warning-behind-elsewhere = o registro está atrás da sua âncora em { $place }: { $why }
record-lost-anchor = a âncora ao lado da chave sumiu
record-lost-record = há uma chave, mas o registro e a âncora dele sumiram
record-lost-broken-anchor = a âncora ao lado da chave não é válida ({ $given })
record-lost-broken-copy = ela não é válida ({ $given })
record-lost-part = a parte { $part } da sessão { $session } sumiu
record-lost-lines = { $count ->
    [one] { $count } linha perdida
   *[other] { $count } linhas perdidas
  } da sessão { $session }
record-lost-rewritten = a sessão { $given } foi reescrita
record-line = { $file }, linha { $line }
record-what-changed = alterado
record-what-removed = retirado
record-what-inserted = inserido
record-what-reordered = fora de ordem
record-what-cut = cortado
record-what-missing = ausente
record-what-misplaced = no lugar errado
record-what-unreadable = ilegível
record-what-unsigned = sem assinatura
record-what-put-aside = posto de lado
record-evidence-no-folder = há uma chave, mas a pasta do registro sumiu
record-evidence-no-record = há uma chave, mas nenhum registro assinado por ela
record-evidence-no-table = a tabela assinada sumiu: não daria para notar linhas cortadas do fim
record-evidence-broken-table = a tabela assinada não é válida ({ $given })
record-evidence-noted = algo faltava ou estava danificado quando o guarda-costas iniciou; remova este arquivo quando souber por quê
record-evidence-damaged = o guarda-costas o encontrou danificado e o pôs de lado
record-evidence-no-anchor = a âncora do registro sumiu
record-evidence-broken-anchor = a âncora não é válida ({ $given })
record-evidence-no-part = { $lines ->
    [one] a parte { $part } da sessão { $session }, com { $lines } linha,
   *[other] a parte { $part } da sessão { $session }, com { $lines } linhas,
  } sumiu
record-evidence-no-anchored-part = { $lines ->
    [one] a parte { $part } da sessão { $session }, com { $lines } linha,
   *[other] a parte { $part } da sessão { $session }, com { $lines } linhas,
  } sumiu: a âncora a conhece
record-evidence-behind-anchor = { $gone ->
    [one] falta { $gone } linha
   *[other] faltam { $gone } linhas
  }: a âncora conhece { $lines }
record-evidence-unlike-anchor = esta linha difere da âncora: ela e as anteriores foram reescritas
record-evidence-not-read = não dá para ler ({ $given })
record-evidence-half-line = há uma linha incompleta depois da última
record-evidence-never-sealed = nenhum arquivo assim foi assinado
record-evidence-other-file = não é a continuação do arquivo anterior
record-evidence-cut-off = { $gone ->
    [one] { $gone } linha foi cortada
   *[other] { $gone } linhas foram cortadas
  } do fim: { $lines } estavam assinadas
record-evidence-unlike-head = esta linha difere do que foi assinado: ela foi alterada, ou ela e as anteriores foram reescritas
record-evidence-added-later = foi acrescentada depois de assinado o fim do arquivo
record-evidence-no-line = não está lá
record-evidence-moved = aqui há outra linha; a que deveria estar aqui é a linha { $given }
record-evidence-put-in = foi inserida: a linha que deveria estar aqui vem depois dela
record-evidence-put-behind = foi posta depois da última linha assinada
record-evidence-garbled = não é uma linha do registro
record-evidence-taken-out = { $given ->
    [one] { $given } linha foi retirada
   *[other] { $given } linhas foram retiradas
  } antes dela
record-evidence-number-of = traz o número da linha { $given }
record-evidence-other-hash = a linha seguinte traz outro hash
record-evidence-other-line = não é a continuação da linha anterior
record-remark-own-key = conferido com a chave que a própria tabela assinada indica, { $given }: compare-a com a sua
record-remark-other-record = { $place } é a âncora do registro em { $other }, e não deste
record-remark-no-anchor-yet = { $given } ainda não existe: não daria para notar uma cópia antiga do registro
record-remark-no-anchor-there = { $given } não tem âncora deste registro
record-remark-unread-anchor = a âncora em { $place } não pode ser lida ({ $why })
record-remark-expired = a parte { $part } da sessão { $session } foi apagada quando o prazo dela acabou
record-remark-half-written = { $given } termina no meio de uma linha: ainda está sendo escrito, ou a máquina parou
record-remark-after-damage = { $place } começa com uma nota de dano ({ $damage })

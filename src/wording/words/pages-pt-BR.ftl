
# O que mostram audit, registry, session, keys, hook e os erros do cliente.

## O que a linha de comando mostra de um pedido
act-reason = motivo: { $reason }
act-exit = terminou com o código { $code }
act-params = --params não é JSON: { $why }
act-unknown = Uma linha de comando é o alvo de uma ação: guarda act RUN_COMMAND "ls Downloads"

## O serviço não responde
client-nobody = nenhum serviço responde em { $path }: inicie um com `guarda serve`, ou aponte GUARDA_STATE_DIR para a pasta do que está em execução
client-unserved = nenhuma resposta em { $seconds } s: o soquete em { $path } está com { $holder }, que não o atende. Encerre esse processo, ou reinicie o serviço (systemctl --user restart guarda.service), e tente de novo
client-process = { $name } (processo { $pid })
client-listener = o processo que escuta em { $name }
client-unknown = um processo desconhecido
client-ended = o serviço parou antes de responder ({ $why }). Não se sabe se foi feito: `guarda history` diz o que começou
client-foreign = o que responde no lugar do guarda-costas é outro programa ({ $why })
client-broken = o pedido não deu certo ({ $why })

## O que está pronto, e o que falta
banner-listens = guarda { $version } escuta em http://{ $name }
banner-works = Funciona:
banner-missing = Falta:
banner-next = Veja guarda doctor.
banner-files = configuração: { $config } · chave para pedir: { $token }
banner-try = Experimente em outro terminal:
status-off = desligado ({ $key })
ready-record = cada decisão é escrita antes de ser executada
ready-sessions = o que as sessões viram fica anotado até uma pessoa retirar
ready-stage = o que um comando muda é julgado antes de valer, e pode ser desfeito
ready-mcp = um formulário no cliente que pede, para o que tem pouco risco
ready-http-code = com a chave de aprovação e o código da pergunta, que é mostrado e falado aqui
ready-http-token = só com a chave de aprovação: nada aqui pode mostrar ou falar um código
ready-http-chosen = só com a chave de aprovação (server.answer_code = "never")
ready-http-nothing = ninguém: é preciso um código (server.answer_code = "always"), e nada aqui pode mostrá-lo ou falá-lo
degraded-speech = Nada é falado. { $why }
degraded-remote = Nada aqui pode mostrar uma pergunta: quem tem a chave de aprovação responde por HTTP
degraded-no-human = Ninguém é perguntado (--no-human): o que precisa de um sim é recusado, e relatado no fim
degraded-nobody = Ninguém pode responder: o que precisa de um sim não é feito
degraded-unseen = Uma pergunta não pode ser mostrada nem ouvida neste computador
degraded-token = A chave de aprovação sozinha diz sim: nada aqui pode mostrar ou falar o código de uma pergunta, e todo programa deste usuário que lê a chave pode responder (docs/answers.md)
degraded-code = Ninguém pode dizer sim pelo serviço: é preciso um código (server.answer_code = "always"), e nada aqui pode mostrá-lo ou falá-lo
degraded-silence = Silêncio por mais { $seconds } segundos: toda pergunta é recusada (`guarda silence off` termina)
degraded-part = Não funciona: { $name }. { $why }
degraded-record = O registro não pode ser escrito, e nada é feito: { $why }
degraded-advice = Não há segunda opinião. { $why }
degraded-registry = A memória de comandos se perdeu, e cada comando depende do seu sim: { $why }
degraded-plugins = A pasta das verificações não é confiável, e cada ação depende do seu sim: { $why }
degraded-plugin = A verificação { $name } falha, e cada ação depende do seu sim: { $why }
degraded-marks-unwritten = As marcas das sessões não podem ser escritas, e toda sessão conta como se tivesse visto segredos: { $why }
degraded-marks-full = Há sessões marcadas demais, e cada nova conta como se tivesse visto segredos; retire todas as marcas com `guarda session clear --all`
degraded-marks-lost = As marcas das sessões se perderam ({ $why }), e toda sessão do registro foi marcada; veja-as com `guarda session list`
failure-switched-off = Está desligado na configuração.
failure-quiet-hours = É horário de silêncio: nada é falado.
failure-no-voice = O speech-dispatcher, que fala, não responde.
failure-inaudible = O som está desligado ou no mínimo: não se ouviria nada.
failure-no-helper = O serviço guarda-keys do teclado de confiança não está instalado.
failure-no-keyboard = Nenhum teclado é de confiança ainda; veja: guarda keys status.
failure-not-from-terminal = O serviço não foi iniciado num terminal.
failure-no-cell = Este computador não consegue confinar comandos por completo.
failure-no-stage = Mudanças não podem ser retidas aqui: a pergunta sobre um comando que muda arquivos vem antes, só pelo que está escrito, e não dá para desfazer.
failure-stage-stuck = Uma mudança não pôde ser terminada nem desfeita: parte dela pode ter sido feita.
failure-no-network = Os comandos não alcançam outro computador aqui, nem um aprovado.
failure-no-model = O modelo da segunda opinião não responde; o que ele examinaria depende do seu sim.

## A configuração, guarda ask e guarda demo
load-no-file = { $path }: não existe
load-no-home = não há pasta pessoal: aponte GUARDA_STATE_DIR para uma pasta sua
ask-no-model = nenhum modelo foi escolhido: defina ask.model na configuração, como em `ollama list`, ou use --model
ask-which-model = há vários modelos: { $names }; escolha um com --model, ou em ask.model na configuração
ask-no-actions = o perfil { $profile } não oferece ações
ask-no-server = inicie o servidor do modelo (por exemplo `ollama serve`), ou diga em endpoint.address onde ele está
endpoint-unreachable = { $place } não responde
endpoint-broken = a resposta do servidor do modelo foi interrompida ({ $why })
endpoint-late = o servidor do modelo não respondeu em { $seconds } s
endpoint-address = endpoint.address na configuração não é um endereço ({ $why })
endpoint-no-host = endpoint.address na configuração não indica um servidor
endpoint-key-file = a chave de endpoint.key_file não pode ser lida: { $why }
endpoint-no-key = { $path }, indicado em endpoint.key_file, não contém uma chave: é esperada uma linha sem espaços
ask-answered = o servidor do modelo responde { $answer }
ask-no-action = o que o modelo escreveu não é uma ação ({ $why }): { $text }
demo-not-started = `guarda serve` diz mais, e `guarda doctor` como resolver

## O que fazer em vez disso, pela regra
instead-decode-and-run = decodifique em um arquivo, leia, e depois execute
instead-banned = peça que a pessoa rode o comando, ou que escreva bans = "ask" em [bash] no config.toml
instead-download-and-run = baixe para um arquivo, leia-o e depois execute
instead-search-secrets = indique a pasta desejada
instead-erase-system = indique o arquivo ou a pasta lá dentro que deve ser apagado
instead-own-files-gone = indique o arquivo ou a pasta lá dentro que deve ser apagado
instead-through-process = indique os arquivos pelo próprio caminho
instead-kill-all-of-owner = indique o programa que deve ser encerrado
instead-search-outside = procure no projeto, ou indique a pasta do sistema desejada
instead-client-settings = diga o que deve mudar; uma pessoa muda
instead-secret-session = comece uma sessão nova, sem segredos, para isso
instead-exfiltration = comece uma sessão nova, sem segredos, para isso

## O registro: guarda audit
audit-head-time = HORA ({ $zone })
audit-head-id = PEDIDO
audit-head-end = FIM
audit-head-by = DECIDIDO POR
audit-head-what = O QUÊ
audit-end-opened = arquivo iniciado
audit-end-at-start = concluído ao iniciar
audit-end-mended = registro reparado
audit-end-advice = parecer: { $verdict }
audit-end-kept-by-itself = terminou
audit-end-kept-stopped = parado
audit-end-kept-idle = parado: a sessão estava inativa
audit-end-cleared = marcas retiradas
audit-end-granted = permitido para sempre
audit-end-granted-for-now = permitido
audit-end-trusted-for-session = de confiança na sessão
audit-end-trusted = de confiança
audit-end-withdrawn = não mais permitido
audit-end-reloaded = regras mudadas
audit-end-guessed = código errado
audit-end-marked = marcada: { $marks }
audit-end-host-asked = servidor perguntado
audit-end-host-allowed = servidor permitido
audit-end-host-refused = servidor recusado
audit-end-exit = código { $code }
audit-fate-done_unasked = feito sem pergunta
audit-fate-done_approved = feito após um sim
audit-fate-denied = negado
audit-fate-expired = sem resposta
audit-fate-withdrawn = retirado
audit-fate-denied_unasked = negado sem pergunta
audit-fate-blocked = proibido
audit-fate-failed = falhou
audit-fate-not_held_back = não retido
audit-fate-left_to_client = deixado ao cliente
audit-fate-judged = só julgado
audit-fate-waiting = em espera
audit-fate-begun = iniciado
audit-part = parte { $part }
audit-cut = { $count } bytes de uma linha incompleta foram cortados
audit-gap = não pôde ser escrito desde { $since }: { $why }
blame-none = O registro não conhece mudança nenhuma de { $path }. O que você muda em programas seus não é registrado.
blame-since = Mudou depois disso, em { $time }, por algo que o guarda não viu.
blame-more = { $count ->
    [one] Uma mudança anterior; --all mostra.
   *[other] { $count } mudanças anteriores; --all mostra.
}
blame-named = citado por um comando cujas mudanças não foram retidas
blame-record = Mais: guarda history { $id }
blame-undo = Desfazer: guarda undo { $id }
audit-row-what = O quê
audit-row-instead = No lugar
audit-row-decided = Quem decidiu
audit-row-reason = Motivo
audit-row-verdict = As regras dizem
audit-row-why = Por quê
audit-row-exit = Código de saída
audit-row-time = Duração
audit-row-output = Saída
audit-row-ended = Detalhe
audit-row-hosts = Computadores
audit-row-changed = Mudou
audit-place = linha { $line } de { $session }
audit-unknown = não há nenhum pedido { $given } em { $path }; `guarda history` mostra os últimos
audit-none = { $path }: ainda não há registro; indique outra pasta com --folder, ou inicie o serviço com `guarda serve`
audit-sum = { $requests ->
    [one] { $requests } pedido
   *[other] { $requests } pedidos
} em { $sessions ->
    [one] { $sessions } sessão
   *[other] { $sessions } sessões
}
audit-sum-from = { $sum }, de { $first } a { $last }
audit-fates = o que foi feito deles
audit-actions = ações
audit-answers = respostas
audit-rules = regras
audit-redactions = segredos escondidos
audit-note = observação
audit-sound = íntegro
audit-unsound = { $count ->
    [one] alterado: { $count } ocorrência
   *[other] alterado: { $count } ocorrências
}
audit-lines = { $lines ->
    [one] { $lines } linha
   *[other] { $lines } linhas
} em { $files ->
    [one] { $files } arquivo
   *[other] { $files } arquivos
}
audit-signed = assinado em { $time }
audit-unsigned = { $count ->
    [one] { $count } linha desde então, ligada só pela corrente
   *[other] { $count } linhas desde então, ligadas só pela corrente
  }
audit-open = { $count ->
    [one] { $count } ação ainda sem fim
   *[other] { $count } ações ainda sem fim
  }
audit-key = { $path } não contém uma chave pública: são esperados 64 dígitos hexadecimais
audit-change = { $change ->
    [created] criado
    [changed] modificado
    [replaced] substituído
    [deleted] apagado
    [renamed] renomeado
   *[attributes] atributos mudados
} { $path }
audit-from = { $what }, antes { $from }

## Comandos lembrados: guarda registry
registry-off = observação: a memória de comandos está desligada (registry.enabled), e o serviço não a usa
registry-nothing = ainda não há memória de comandos em { $place }: nada foi executado. `guarda registry init` a cria
registry-trouble = a memória de comandos { $place }: { $why }
registry-damaged-next = { $why }; inicie o serviço, que separa o arquivo e mantém o que está proibido, ou: guarda registry init --force
registry-aside = o arquivo danificado agora é { $path }
registry-over = recomeçada: { $place } ({ $commands } comandos esquecidos)
registry-exists = já existe: { $place } ({ $commands } comandos); --force recomeça
registry-ready = pronta: { $place }
registry-empty = nenhum comando assim
registry-first = só { $count } linhas; --most 0 mostra todas
registry-no-candidates = nenhum comando funcionou vezes bastantes para deixar de ser perguntado
registry-still-asked = { $hash }  continua sendo perguntado: { $why }
registry-unknown = { $given } não está entre os comandos lembrados; `guarda registry list` mostra quais são, e --cwd indica a pasta
registry-several = vários comandos começam com { $given }: dê mais letras
registry-differs = o programa, o perfil ou um segredo escondido mudou desde então; hoje as regras dizem:
registry-gone = não pode mais ser julgado (a pasta dele existe?)
registry-not-allowed = isto não pode ser permitido de uma vez por todas: { $why }
registry-changed = este já não é o mesmo comando: o programa ou o perfil mudou, ou há nele um segredo escondido. Indique-o pelo texto e --cwd
registry-in = em { $folder }, com os programas como estão agora
registry-where = onde é executado, com os programas como estão agora
registry-anywhere = onde quer que seja executado
registry-reset = esquecido: a sua decisão e tudo o que se aprendeu sobre o comando; ele começa de novo
registry-no-command = isto não é uma linha de comando
registry-head-policy = REGRA
registry-head-runs = VEZES
registry-head-well = BEM
registry-head-risk = RISCO
registry-head-last = ÚLTIMA
registry-head-command = COMANDO
registry-never-ran = ainda não
registry-command = comando
registry-folder = pasta
registry-profile = perfil
registry-hash = código (hash)
registry-programs = programas
registry-policy = regra
registry-unchanged = nada a mudou ainda
registry-said = decidido
registry-by = { $word } por { $who }
registry-person = uma pessoa
registry-runs = execuções
registry-runs-told = { $all } ({ $well } bem, { $ill } mal: { $late } por demora, { $killed } por sinal)
registry-earned = conta
registry-earned-told = { $well } de { $all } contam para deixar de perguntar
registry-held-back = retido
registry-duration = duração
registry-duration-told = { $mean } ms em média, de { $least } a { $most }
registry-first-last = primeira, última
registry-ends = códigos
registry-duplicates = repetição
registry-duplicates-told = perguntada de novo em menos de { $within } ms
registry-duplicates-off = não é procurada: isto é vigilância
registry-risk = risco
registry-because = {"  "}porque
registry-policy-auto-approve = permitido pelo histórico
registry-policy-ask = como dizem as regras
registry-policy-ask-warning = perguntado com aviso
registry-policy-always-allow = sempre permitido
registry-policy-always-ask = sempre perguntado
registry-policy-never = nunca
registry-policy-unsealed = perguntado: não está no registro
registry-sum-commands = comandos
registry-sum-runs = execuções
registry-sum-well = {"  "}bem-sucedidas
registry-sum-risky = risco alto

## As marcas das sessões: guarda session
session-none = nenhuma sessão pediu nada desde o início
session-unmarked = sem marcas
session-corruption = texto de fora
session-secret = segredos
session-no = não
session-since = desde { $time }
session-seen = último pedido
session-hosts = leu de
session-stopped = { $count ->
    [0] Nada estava rodando.
    [one] { $count } comando foi parado.
   *[other] { $count } comandos foram parados.
}
session-running = { $count ->
    [0] rodando: { $line } (desde { $time }, id { $id })
   *[other] rodando: { $line }, em { $ports } (desde { $time }, id { $id })
}
session-cleared = { $count ->
    [one] as marcas de uma sessão foram retiradas
   *[other] as marcas de { $count } sessões foram retiradas
}
session-unmarked-all = não havia marca nenhuma
session-name = { $given } não é nome de sessão: de 1 a 64 letras, dígitos, '-', '_' ou '.', sem começar por '.'

## O teclado de confiança: guarda keys
keys-none = nenhum teclado foi encontrado
keys-counts = vale
keys-refused = recusado
keys-listening = { $count ->
    [one] { $count } teclado é lido: { $yes } para sim, { $no } para não
   *[other] { $count } teclados são lidos: { $yes } para sim, { $no } para não
}
keys-busy = esperando: { $why }
keys-nobody = ninguém respondeu
keys-layout = { $given } não é um leiaute: qwerty, qwertz, azerty ou dvorak
keys-root = isto precisa de root: sudo guarda keys enroll …
keys-written = { $path } está atualizado; vale a partir da próxima pergunta

## A ligação com um agente: guarda hook
hook-already = nada a fazer: { $path } já consulta o guarda-costas
hook-installed = instalado: { $path }
hook-trust = O Codex ignora um hook até que você confie nele: abra o codex, digite /hooks e confie neste.
hook-restart = Reinicie { $client } e veja se funciona: guarda hook doctor { $client }
hook-removed = retirado de { $path }
hook-not-in = não estava em { $path }
hook-good = bom
hook-bad = falha
hook-settings = configuração
hook-program = programa
hook-service = serviço
hook-rules = regras
hook-judged = Os comandos dele são julgados pelo perfil { $profile } (hooks.profile); uma pergunta espera até { $minutes } min.
hook-rules-are = os hooks são julgados pelo perfil { $profile }
hook-rules-not = o serviço julga os hooks pelo perfil { $profile }, a configuração indica { $meant }: reinicie o serviço
hook-a-no = um não
hook-no-guard = sem serviço
hook-unseen = O Codex ignora um hook até que você confie nele (/hooks); isso não se vê daqui.
hook-protected = protegido: { $client } pergunta antes de usar as ferramentas
hook-unprotected = sem proteção
hook-unfit = nada foi mudado
hook-kit = { $client } não tem configuração de hooks: docs/agents.md traz as linhas para o seu programa
hook-no-home = não há pasta pessoal
hook-not-there = { $path } não existe: execute guarda hook install { $client }
hook-switched-off = { $path }: disableAllHooks está ligado
hook-lacks = { $path } não tem o hook, ou tem um antigo: execute guarda hook install { $client }
hook-path = o caminho deste programa não é UTF-8
setup-no-name = este usuário não tem nome
hook-answers = responde
hook-denied = { $command } é negado
hook-denied-failing = negado, porque o hook falhou: { $why }
hook-not-denied = { $command } não é negado: { $why }
hook-alone = sem o serviço, tudo é negado
hook-not-alone = sem o serviço, nem tudo é negado: { $why }

## Tudo o mais que a linha de comando diz
config-there = { $path }
config-not-there = { $path }  (não existe: valem os padrões)
config-nowhere = nenhum: não há pasta pessoal
config-paths =
    configuração      { $config }
    pasta de estado   { $state }
config-note = nota
config-good = certo
rules-unknown = não há regra { $given } neste perfil; `guarda rules list` mostra todas
rules-locked = fixa
rules-broken = errada
rules-tested = { $rules } regras, { $examples } exemplos, { $broken } erradas
corpus-line = { $path }, linha { $line }: não é JSON com "cmd" e "label"
advise-nothing = falta o comando a examinar
advise-clear = sem objeção
advise-flagged = suspeito
advise-unclear = não está claro
advise-progress = { $done } de { $all } linhas
advise-miss = não percebido
advise-false-alarm = alarme falso
advise-no-model = falta o nome do modelo: defina advice.model na configuração, como `ollama list` mostra
unusable-paused = não é consultado por mais { $seconds } s, por este motivo: { $why }
unusable-too-long = só foi possível mostrar a ele os primeiros { $given } caracteres
unusable-secrets = não foi possível esconder dele os segredos do comando
unusable-no-random = o sistema não deu um número aleatório ({ $given })
unusable-late = não respondeu em { $given } s
unusable-no-model = não há o modelo { $model } em { $place }: `ollama list` mostra os que existem
unusable-status = o servidor dele responde com o status { $given }
unusable-not-the-api = a resposta não tem a forma da API
unusable-choices = deu { $given } respostas, e é esperada uma só
unusable-cut-off = a resposta foi cortada
unusable-unfinished = a resposta não chegou ao fim ({ $given })
unusable-no-text = a resposta não tem texto
unusable-no-object = a resposta não é o objeto JSON pedido
unusable-no-score = a resposta não é uma nota
token-added =
    criado: { $name }
    Monte { $path } no contêiner como /run/guarda, só para leitura:
    {"  "}podman run -v { $path }:/run/guarda:ro -e GUARDA_STATE_DIR=/run/guarda …
    Dentro dele, `guarda act`, `guarda mcp` e os hooks pedem por esse socket; também
    {"  "}curl --unix-socket /run/guarda/guarda.sock -H "Authorization: Bearer $(cat /run/guarda/token)" …
token-none = nenhum contêiner tem chave; guarda token add NOME cria uma
token-unknown = nenhum contêiner { $name } tem chave; guarda token list mostra todos
token-removed = removido: { $name }; sua chave não vale mais
plugin-trouble = até que isso seja corrigido, pergunto sobre cada ação
plugin-ready = pronto
plugin-ignored = ignorado
plugin-failed = falhou
plugin-pass = passa
plugin-ask = pergunta
plugin-deny = nega
plugin-none = não há plugin nessa pasta; docs/plugins.md explica como escrever um
plugin-unknown = não há plugin { $given } em { $path }
plugin-nothing = não há plugin em { $path }
speak-unheard = não foi ouvido. { $why }
speak-broken-off = foi interrompido
redact-long = o texto passa de { $limit } bytes: nada foi escrito; entregue em partes
service-missing = o serviço é um programa à parte, que fica ao lado de guarda: compile ou instale os dois
hook-no-client = { $given } não é um cliente; guarda hook --help mostra todos
serve-root = não roda como root: inicie como você mesmo, ou defina GUARDA_ALLOW_ROOT=1 se for essa a intenção
serve-as-root = atenção: rodando como root. O que você aprovar será feito com todas as permissões
serve-no-socket = LISTEN_FDS entrega um socket Unix, e server.socket diz que não há: defina como true, ou tire o socket de guarda.socket
serve-socket-unknown = o socket { $number } de LISTEN_FDS não é nem um endereço TCP nem um socket Unix: veja ListenStream= em guarda.socket
serve-socket-twice = LISTEN_FDS entrega dois sockets do mesmo tipo: o guarda-costas tem um endereço TCP e um socket Unix; veja ListenStream= em guarda.socket
serve-socket-system = um socket de LISTEN_FDS não pode ser usado ({ $why })
serve-telemetry-address = telemetry.endpoint { $endpoint } não pode ser usado ({ $why })
serve-telemetry-not-built = telemetry.endpoint indica um coletor, e este guarda foi compilado sem OTLP: compile com `cargo build --features otlp`, ou remova a chave
serve-no-cell = os comandos não podem ser confinados aqui, por isso pergunto sobre cada comando: { $why }
serve-record = { $why }; veja com `guarda audit verify`
registry-unsealed = { $count ->
    [one] A memória permite um comando para sempre, mas o registro não diz quem deu essa permissão: ele volta a ser perguntado. Veja com `guarda registry list --said`
   *[other] A memória permite { $count } comandos para sempre, mas o registro não diz quem deu essa permissão: eles voltam a ser perguntados. Veja com `guarda registry list --said`
}
unattended-sum = Sem ninguém: { $done } feitos, { $refused } recusados porque ninguém podia dizer sim, { $blocked } proibidos, { $failed } falharam.
unattended-row = { $count ->
    [1] { "  " }{ $what }
   *[other] { "  " }{ $what } ({ $count } vezes)
}: { $why }
unattended-more = { "  " }e { $count ->
    [one] mais uma linha
   *[other] mais { $count } linhas
}
unattended-next = `guarda history` conta cada um. Permita antes o que deve passar: `guarda trust add PASTA`, `guarda network allow HOST`, `guarda registry allow COMANDO`.
serve-twice = segundo sinal: cancelando o que está em andamento
reload-done = a configuração foi lida de novo e está em vigor
reload-partly = as regras foram lidas de novo e estão em vigor; { $later } a partir do próximo início
reload-kept = a configuração antiga continua em vigor: { $why }
network-no-host = { $given } não é um host: { $why }
network-no-service = o arquivo lock do serviço não indica processo
network-no-table = `network` não é uma tabela
network-no-list = `network` não tem lista nesse lugar
recovery-no-stages = nada pode ser retido nem desfeito: { $why }
recovery-unrecorded = isto não pôde ser registrado: { $why }
recovery-committed = a efetivação de { $id } foi interrompida e agora está completa
recovery-taken-back = a efetivação de { $id } foi interrompida e foi revertida: { $why }
recovery-undone = a ação de desfazer { $id } foi interrompida e agora está completa
recovery-undo-taken-back = a ação de desfazer { $id } foi interrompida e foi revertida: { $why }
recovery-unfinished = as mudanças de { $id } foram interrompidas e nem todas puderam ser revertidas: { $why }. As versões antigas estão guardadas: guarda undo --beside PASTA { $id }
rules-allows = permitido nesta forma
audit-by-policy = as regras
audit-by-grant = permitido de antemão
audit-by-person = você
audit-by-nobody = ninguém
audit-way-keys = teclas
audit-way-keyboard = teclado de confiança
audit-way-terminal = terminal
audit-way-notification = notificação
audit-way-console = console
audit-way-http = HTTP
audit-way-socket = linha de comando
audit-way-spoken = voz
audit-way-mcp = cliente
audit-way-remote = outro lugar
audit-error-timeout = demorou demais
audit-error-cancelled = cancelado
audit-error-signalled = fim por um sinal
audit-error-not_found = não encontrado
audit-error-no_player = nenhum reprodutor
audit-error-unavailable = impossível aqui
audit-error-failed = falhou
audit-error-unknown = fim desconhecido
audit-error-not_begun = não iniciado
audit-error-changed_since_approval = mudou antes disso
audit-error-redaction_failure = saída retida
audit-error-password_not_possible = sem senha possível
audit-answer-approve = sim
audit-answer-approve_all_hosts = sim, a todos os hosts
audit-answer-deny = não
audit-answer-modify = mudado
audit-answer-timeout = sem resposta
audit-answer-wrong_codes = códigos errados
audit-answer-restart = guarda reiniciado
audit-answer-unasked = não perguntado
audit-answer-withdrawn = retirado
audit-answer-mismatch = mudou antes disso

## O que está errado numa linha de comando
usage-unknown-command = Não existe o comando { $given }.
usage-unknown-option = Não existe a opção { $given } aqui.
usage-unexpected = { $given } é uma palavra a mais.
usage-value = { $given } não é um valor para { $option }.
usage-value-why = { $given } não é um valor para { $option }: { $why }
usage-no-value = { $option } precisa de um valor.
usage-values = Valores possíveis: { $values }
usage-missing = Falta: { $given }
usage-missing-command = Falta um comando.
usage-conflict = { $option } e { $given } não combinam.
usage-once = { $option } só pode aparecer uma vez.
usage-many = { $option } não aceita mais valores.
usage-text = A linha de comando não está em UTF-8.
usage-similar = Você quis dizer { $given }?
usage-help = Mais: { $command }
usage-form-minutes = minutos, de 1 a 1440, ou off
usage-form-when = escreva 30m, 2h, 3d, 1w, 2026-11-21 ou 2026-11-21T18:00:00Z
usage-form-client = um destes: claude, codex, gemini, copilot, cursor, opencode, openai-agents
usage-form-number = um número inteiro
usage-form-rate = um número de -100 a 100
usage-form-volume = um número de -100 a 100
usage-form-seconds = segundos, de 1 a 600
bad-host-empty = falta o nome, ou uma parte dele
bad-host-long = o nome é longo demais
bad-host-character = tem um caractere que nenhum nome de host tem
bad-host-invalid = não é um nome de host válido
bad-host-port = a porta vai de 1 a 65535
token-no-name = “{ $name }” não serve como nome de contêiner: de 1 a 32 letras, algarismos, - ou _
tag-advice = segunda opinião
tag-banned = proibido pelo nome
tag-caller = o que diz quem pediu
tag-catastrophic = perda irreparável
tag-container = contêineres
tag-desktop = área de trabalho
tag-destructive = exclusão
tag-disk = discos
tag-evasion = disfarce
tag-exec = execução de texto desconhecido
tag-exfiltration = saída de dados
tag-files = arquivos
tag-git = histórico do git
tag-guard = o próprio guarda-costas
tag-keys = teclas pressionadas
tag-network = rede
tag-open = abertura de arquivo ou programa
tag-outside = fora das pastas permitidas
tag-packages = pacotes
tag-persistence = execução que continua ou volta
tag-plugin = plugin de verificação
tag-power = desligamento
tag-privilege = direitos de administrador
tag-process = outros processos
tag-protected = pasta protegida
tag-radio = redes sem fio
tag-registry = execuções anteriores
tag-remote = serviço em outro lugar
tag-rights = permissões de arquivos
tag-screen = conteúdo da tela
tag-secrets = segredos
tag-self-approval = aprovação de si mesmo
tag-suspend = suspensão
tag-system = ajustes do sistema
tag-taint = sessão marcada
tag-tool = ferramenta de um agente
tag-unknown = desconhecido
tag-url = endereço
tag-writes = gravação de arquivos
rules-about = assunto

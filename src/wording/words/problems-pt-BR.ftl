
# O que um problema diz: a programas em inglês, a uma pessoa no idioma do pedido.
title-malformed = O pedido está malformado
title-unauthorized = É preciso uma chave de acesso
title-guessing = Chaves ou códigos errados demais
title-code-required = É preciso o código da pergunta
title-code-wrong = O código não é esse
title-forbidden = Esta chave de acesso não permite isso
title-foreign-origin = Pedidos de páginas de outra origem são recusados
title-not-found = Não encontrado
title-method-not-allowed = Este caminho não aceita esse método
title-timed-out = O pedido demorou demais para chegar
title-settled = A pergunta já foi resolvida
title-session-marked = A sessão recebeu uma marca depois do julgamento
title-changed = O objeto mudou nesse meio-tempo
title-ticket-elsewhere = O bilhete é de outra pasta
title-too-large = O conteúdo é longo demais
title-unsupported-media-type = Só application/json é aceito
title-misdirected = O serviço não tem esse nome
title-misread = O pedido não foi entendido
title-empty-command = O comando está vazio
title-key-reused = A chave de idempotência já serviu a outro pedido
title-sandbox-lacking = Este computador não pode confinar o comando
title-registry-off = O registro de comandos está desligado
title-busy = Há pedidos demais em execução ou na fila
title-closing = O serviço está encerrando
title-record-failed = Não foi possível gravar o registro, e nada foi feito
title-internal = O guarda-costas falhou
problem-no-question = Não há pergunta aberta com esse número; `guarda pending` mostra as abertas
problem-settled = Esta pergunta foi respondida, foi retirada ou expirou
problem-rank = Por este caminho não vale um sim a uma pergunta com este risco; só um não
problem-not-by-voice = Para esta pergunta, o sim não vale por voz: responda pelo teclado, no terminal ou no console
problem-say-words = Por voz, um sim são as duas palavras que o guarda-costas disse: passe-as adiante a /v1/questions/ID/heard
problem-unread = As mudanças precisam ser lidas por inteiro antes de um sim: no terminal, no console ou com `guarda approve`
problem-not-offered = Esta pergunta aceita sim ou não: o pedido não pode ser permitido de uma vez por todas
problem-fixed = Esta pergunta aceita sim ou não, e nenhum outro comando
problem-code-required = Daqui, um sim pede o código de quatro dígitos, que é mostrado e falado onde a pergunta é feita; { $count ->
    [1] resta 1 tentativa
   *[other] restam { $count } tentativas
}
problem-code-wrong = O código não é esse: ele é mostrado e falado onde a pergunta é feita; { $count ->
    [1] resta 1 tentativa
   *[other] restam { $count } tentativas
}
problem-code-last = O código não é esse, e não há mais tentativas: a resposta é não
problem-code-guessing = Códigos errados demais em uma hora: um sim só vale onde a pergunta é feita
problem-console-code = O console pede um código de quatro dígitos, que é mostrado e falado agora no computador
problem-console-link = Este link já não abre o console: rode guarda console de novo
problem-console-last = O código não é esse, e não há mais tentativas: peça o console de novo em dois minutos
problem-answers-off = Responder por este serviço está desligado (server.answer_over_http)
problem-silence = O silêncio dura no máximo um dia
problem-asker = A chave de quem pede não responde perguntas. Use a do arquivo `approve-token`
problem-unheld = Nada foi guardado disso; `guarda undo --list` mostra o que pode ser desfeito
problem-no-session = Essa sessão não é conhecida; `guarda session list` mostra as conhecidas
problem-language = não há o idioma “{ $name }”: escreva pt-BR, en ou fr
problem-marked = a sessão recebeu uma marca depois do julgamento, e nada foi feito; peça de novo, e o pedido será julgado com a marca nova
problem-foreign-session = a sessão { $name } é de outro programa, e nada foi feito; diga outra, ou nenhuma
problem-changed = { $name } mudou enquanto a pergunta estava aberta, e nada foi feito; peça de novo
problem-no-registry = o registro de comandos está desligado (registry.enabled), e é ele que guarda as chaves
problem-busy = Há pedidos demais na fila; tente de novo mais tarde
problem-closing = O guarda-costas está encerrando; nada foi feito
problem-no-folder = a pasta “{ $name }” não existe; indique uma que exista em “cwd”
problem-too-many-paths = o comando cita mais de 1024 caminhos; divida-o
problem-too-much = o comando depende de mais arquivos do que se pode vigiar enquanto você responde; divida-o
problem-slow-files = os arquivos de que a ação depende não responderam a tempo; peça de novo
misread-missing = falta o campo “{ $field }”
misread-type = o campo “{ $field }” deve ser: { $hint }
misread-value = “{ $value }” não serve em “{ $field }”: { $hint }
misread-unread = esta ação não aceita “{ $field }”
misread-unread-meant = esta ação não aceita “{ $field }”; você quis dizer “{ $meant }”?
misread-empty = escreva o comando em “target”
misread-twice = “args” e “params” são dois nomes do mesmo campo; dê só um
hint-web-address = um endereço da web, como https://example.org/pagina, ou o que procurar
hint-whole-command = em RUN_COMMAND a linha de comando inteira vai em “target”
hint-shorter-command = um comando tem no máximo 4096 caracteres, e nenhum NUL; ponha um texto maior num arquivo e execute-o
hint-level = up, down, set, mute, unmute, toggle, um número de 0 a 100, ou +20 e -20 para passos
hint-percent = um número de 0 a 100
hint-media-key = play, pause, play-pause, next, previous ou stop
hint-repeat = off, track ou all
hint-seconds = segundos, com menos para voltar, no máximo uma hora: 30 ou -10
hint-run = o id de uma execução (“id” ou “audit_id” da resposta), ou nada para a última
hint-switch = on, off ou toggle
hint-file-operation = open, list, copy, move, delete ou mkdir
hint-chord = uma tecla, ou modificadores e uma tecla unidos por '+', como ctrl+tab, alt+f4, y
hint-confidence = um número de 0 a 1
hint-session = de 1 a 64 letras, algarismos, '-', '_' ou '.', sem começar com '.'
hint-sandbox = “none”, “confined” ou “isolated”; o que a configuração diz é o mínimo
hint-shorter-text = um texto mais curto, sem caracteres NUL
hint-text-or-null = texto ou null
hint-arguments = texto, um número, um objeto ou null
hint-text = texto
hint-once = dado uma só vez
hint-only-amount = a única quantidade
hint-command = RUN_COMMAND
## Por que ninguém foi consultado
cause-gone = quem pediu foi embora
cause-called-off = o pedido foi retirado
cause-granted = uma permissão dada nesse meio-tempo também vale para isto
cause-not-awaited = o comando seguiu sem esperar a resposta
cause-silenced = o silêncio foi ativado; `guarda silence off` o encerra
cause-muted = o silêncio está ativo por mais { $seconds ->
    [one] { $seconds } segundo
   *[other] { $seconds } segundos
  }: recusei sem perguntar; `guarda silence off` o encerra
cause-refused = { $times ->
    [one] { $times } pergunta desta sessão foi recusada
   *[other] { $times } perguntas desta sessão foram recusadas
  } em um minuto; ela pode voltar a perguntar em { $seconds ->
    [one] { $seconds } segundo
   *[other] { $seconds } segundos
  }
cause-quiet-hours = é horário de silêncio (speech.quiet_hours)
cause-no-human = o guarda-costas roda sem ninguém (--no-human)
cause-told-first = quem pede é avisado primeiro; você é perguntado se ele pedir o mesmo de novo
cause-closing = o guarda-costas está encerrando
cause-ended = o guarda-costas foi encerrado com a pergunta aberta
cause-unknown-action = a ação não está no vocabulário
cause-lost = a pergunta se perdeu
cause-twice = já há uma pergunta aberta com este número
cause-no-digit = não foi possível sortear um dígito para a pergunta ({ $error })
cause-no-code = não foi possível sortear um código para a pergunta ({ $error })
cause-unrecorded = a pergunta não pôde ser registrada ({ $error })
cause-no-channel = não havia como fazer a pergunta ({ $lacks })
cause-kept = o sim veio depois de uma execução anterior do comando
refusal-person = uma pessoa disse não
refusal-silence = ninguém respondeu a tempo; um sim em até dez minutos vale quando o comando for executado de novo
refusal-wrong-codes = a resposta veio com o código errado
refusal-unasked = não havia a quem perguntar
refusal-unapproved = não foi aprovado
refusal-other-host = a resposta era sobre outro servidor
refusal-unrecorded = a pergunta sobre ele não pôde ser registrada
refusal-never = é { $what }, e o comando aprovado não cita esse endereço
refusal-denied = a configuração proíbe
refusal-own = é uma porta do próprio guarda-costas
refusal-too-many = o comando quis servidores demais sem aprovação
refusal-unfit = { $address } é { $what }
refusal-nowhere = ele não tem endereço
refusal-unresolved = o nome não foi encontrado
refusal-unreachable = não dá para alcançá-lo
refusal-named = o programa cita outro servidor: { $host }
refusal-protocol = { $protocol ->
    [web] o programa não fala TLS nem HTTP/1.1
    [ssh] o programa não fala SSH
   *[any] o programa não fala o protocolo esperado
}
refusal-second-request = um segundo pedido na conexão do primeiro
refusal-because = { $reason }: { $why }
address-public = um endereço público
address-loopback = este próprio computador
address-private = um endereço de rede local
address-carrier-nat = um endereço da rede compartilhada do provedor
address-unique-local = um endereço IPv6 privado
address-link-local = um endereço do enlace local
address-metadata = um serviço de nuvem que entrega credenciais
address-multicast = um endereço de vários destinatários
address-unspecified = um endereço não especificado, que leva a este computador
address-reserved = um endereço reservado
hindrance-unknown = uma parte dele só se conhece na hora
hindrance-starts = ele inicia outros programas
hindrance-variables = ele define variáveis
hindrance-no-program = ele não inicia nenhum programa
hindrance-launcher = o que o programa executa depende dos argumentos ou de arquivos
hindrance-risky = o risco dele é alto demais
hindrance-sends = ele pode enviar algo para fora
hindrance-elsewhere = o programa não está numa pasta do sistema
hindrance-missing = o programa não está instalado
hindrance-unseen = o programa não foi examinado
hindrance-no-command = não é uma linha de comando
hindrance-unread = não consigo ler o comando com certeza
hindrance-strict = as regras o proíbem ou pedem uma senha
hindrance-each-time = as regras pedem a sua resposta a cada vez
hindrance-forbidden = as regras o proíbem, e isso nenhuma decisão muda
hindrance-tainted = a conversa tinha lido texto de fora, ou segredos
learned-promoted = deu certo vezes suficientes
learned-failed = falhou depois de ganhar a aprovação
learned-unused = ficou muito tempo sem uso
learned-held-back = as regras não deixam mais que ganhe a aprovação
learned-high-risk = o risco é alto
learned-bad-record = falhou vezes demais
learned-recovered = não há mais nada contra
learned-person = você ({ $channel })
mark-action = { $what ->
    [both] leu da rede, e também o que pode ser segredo
    [secret] leu o que pode ser segredo
   *[network] leu da rede
  } ({ $kind })
mark-hosts = recebeu dados de { $hosts }
mark-said = quem pediu disse: { $reason }
mark-caller = quem pediu informou isso
mark-service = o serviço { $name } foi usado
mark-cleaned = a saída teve de ser limpa: { $secrets }
mark-tool = a ferramenta { $name } foi usada
mark-lost = as marcas dela se perderam
mark-no-room = não havia lugar para guardar as marcas dela
mark-removed = uma pessoa tirou as marcas
mark-all-removed = uma pessoa tirou as marcas de todas as sessões

## A refusal, for the program or the model that asked
refused = { $who }; não foi feito; { $instead }.
refused-because = { $who }: { $why }; não foi feito; { $instead }.
refused-what = o pedido de { $effect }
refused-what-staged = um comando que { $what }
refused-person = o usuário recusou { $what }
refused-time = ninguém respondeu a tempo sobre { $what }
refused-nobody = não havia a quem perguntar sobre { $what }
refused-rules = as regras não permitem { $what }
refused-limit = por enquanto não se pergunta ao usuário sobre { $what }
refused-caller = { $what } foi retirado antes de uma resposta
refused-guard = nenhuma resposta valeu sobre { $what }
refused-cell = ninguém foi perguntado ainda sobre { $what }
refused-password = precisa de senha, e o modo avançado está desligado
refused-codes = vieram três códigos errados de outro lugar
refused-do-other = pergunte ao usuário o que fazer em vez disso, e não mande de novo do mesmo jeito
refused-do-reason = faça como o usuário diz, e não mande de novo do mesmo jeito
refused-do-late = avise o usuário: um sim nos próximos dez minutos vale quando o mesmo comando for mandado de novo
refused-do-later = mande de novo quando o usuário puder responder
refused-do-reach = peça ao usuário que rode `guarda doctor`, que diz como as perguntas chegam até ele
refused-do-alone = faça de outro jeito, ou deixe e diga no seu relatório o que precisa de um sim
refused-do-insist = faça sem isso, ou rode a mesma linha de novo em até dez minutos, e uma pessoa é perguntada
refused-do-quiet = continue com o que não precisa de um sim até o usuário voltar a receber perguntas
refused-do-limit = continue com o que não precisa de um sim, e mande de novo depois de { $seconds ->
    [one] { $seconds } segundo
   *[other] { $seconds } segundos
  }
refused-do-rules = ache um jeito que não precise disso, ou deixe o usuário fazer
refused-do-password = deixe o usuário fazer num terminal
refused-do-again = mande de novo se ainda for o caso
refused-do-known = use uma ação que o guarda conheça

## Folders that cannot be trusted
not-trustable-missing = não existe essa pasta
not-trustable-home = é a sua pasta pessoal, ou a contém
not-trustable-hidden = ali os programas guardam as suas configurações
not-trustable-on-path = dali são iniciados programas
not-trustable-shared = pertence a outro usuário, ou outros podem escrever nela
not-trustable-name = o nome não é texto simples, ou contém o que parece um segredo
problem-not-trustable = Não dá para confiar nesta pasta: { $why }
problem-not-trusted = Esta pasta não é de confiança
problem-not-grantable = Este comando não pode ser permitido de antemão: { $why }
problem-not-granted = Nada disso foi dito de antemão

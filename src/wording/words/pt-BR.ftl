# Português do Brasil. As mesmas mensagens, com os mesmos argumentos, estão em en.ftl e fr.ftl.

## A pergunta, falada
ask = { $effect }?
ask-again = { $effect } de novo? Foi executado { $ago }.
ask-late = Ninguém respondeu a tempo. Um sim agora vale para a próxima vez. { $ask }
undo-yes = Dá para desfazer.
undo-yes-named = O que ele nomeia dá para desfazer.
undo-for = { $count ->
    [one] Pode ser desfeito por { $count } dia.
   *[other] Pode ser desfeito por { $count } dias.
}
undo-named = { $count ->
    [one] O que as palavras do comando nomeiam pode ser desfeito por { $count } dia; ele pode mudar mais.
   *[other] O que as palavras do comando nomeiam pode ser desfeito por { $count } dias; ele pode mudar mais.
}
undo-never = Não dá para desfazer.
undo-no-room = Não dá para desfazer: { $size } são demais para guardar.
undo-unknown = Não sei se dá para desfazer.
ask-password-after = Depois do sim, vem a senha.
ask-trust = ou A para confiar em { $folder }
ask-session = ou T na sessão
ask-session-site = ou T no site todo
ask-others = { $count ->
    [one] Vale para mais um igual.
   *[other] Vale para mais { $count } iguais.
}
ask-words = Ou diga: { $words }.
ask-session-hosts = ou T na sessão, para tudo em { $hosts }
how-hold = Para confirmar, segure { $key } por um segundo; para cancelar, segure N.
how-brief = Segure { $key }.
how-keys = Para confirmar, { $yes }; para cancelar, { $no }.
how-keys-brief = Para sim, { $yes }.
press-hold = segure { $key } por um segundo
press-chord = aperte { $key }
no-by-key = Você disse não pelo teclado: { $effect }.
how-terminal = No terminal do guarda-costas, confirme com { $key } ou cancele com N.
how-terminal-brief = { $key } ou N no terminal.
how-notification = Responda nos botões da notificação.
how-notification-brief = Responda na notificação.
how-notification-too = Ou responda nos botões da notificação.
how-elsewhere = Responda no console do guarda-costas.
how-elsewhere-brief = Responda no console.
how-list = Primeiro leia a lista no terminal até o fim.
how-list-brief = Leia a lista.
how-list-elsewhere = Leia a lista inteira no console do guarda-costas, ou com guarda approve, e responda lá.
how-list-elsewhere-brief = Leia a lista no console.

## O que se diz depois
assistant = Assistente
assistant-says = O assistente: { $name }
exit-status = O comando { $name } terminou com erro, código { $code }.
hidden-from-command = Escondido deste comando: { $name }. Para usar, diga o nome no comando.
exit-signal = O comando { $name } foi interrompido.
command-missing = Não encontrei o programa { $name }.
command-broken = O bash não conseguiu ler este comando, e nada dele foi executado.
command-slow = O comando { $name } demorou demais e foi encerrado.
stopped = Foi interrompido antes do fim.
stopped-command = O comando { $name } foi interrompido antes do fim.
output-withheld = O comando { $name } foi executado, mas a saída fica retida: não deu para conferir se tinha segredos.
left-nothing = Nada mudou.
left-part = O que ele fez até ali ficou feito.
left-perhaps = Uma parte pode ter sido feita.
failed = Não consegui { $effect }.
failed-because = Não consegui { $effect }. { $why }
failed-short = Não consegui. { $why }
changed-since = Deixei de { $effect }: { $name } mudou nesse meio-tempo. Peça de novo, e olharei outra vez.
changed-short = Não fiz: { $name } mudou nesse meio-tempo. Peça de novo.
undo-changed = Não consegui { $effect }: { $name } mudou depois disso e se perderia. As versões antigas podem ser copiadas para uma pasta.
undo-changed-short = Não desfiz: { $name } mudou depois e se perderia.
not-found = Não encontrei { $name }.
no-player = Não há nenhum reprodutor de mídia aberto.
blocked = Não deixei.
blocked-because = Não deixei: { $reason }.
password = Este comando precisa de permissão. Digite a senha.
password-off = Este comando precisa de senha, e o modo avançado está desligado.
password-wrong = Senha incorreta. Nada foi feito.
cancelled = A pessoa disse não.
cancelled-short = Não fiz.
time-out = Ninguém respondeu. Não fiz.
wrong-codes = Vieram três códigos errados de outro lugar. A pergunta foi negada.
code-console = Um navegador quer abrir o console. O código é { $code }.
code-console-denied = Vieram três códigos errados para o console. Ele continua fechado.
withdrawn = O pedido foi retirado. Nada foi feito.
no-human = Aqui ninguém é perguntado, então não foi feito.
told-first = Parte do que ele precisa foi recusada, e ninguém foi perguntado ainda.
unasked = Não há como perguntar a ninguém. Nada foi feito.
mismatch = A resposta não era para este pedido. Nada foi feito.
unrecorded = Não consegui registrar o pedido. Nada foi feito.
remembered = De agora em diante, não pergunto mais por este comando.
trusted-for-session = Confio nesta pasta até o fim desta sessão: as mudanças ali não precisam de pergunta e podem ser desfeitas.
trusted = De agora em diante confio nesta pasta: mudanças ali não precisam de pergunta e podem ser desfeitas.
granted-turn = Não pergunto mais por isto até a sua próxima mensagem.
granted-session = Não pergunto mais por isto nesta sessão.
granted-today = Não pergunto mais por isto hoje, nesta pasta.
granted-always = De agora em diante, não pergunto mais por isto nesta pasta.
not-remembered = Não consegui guardar a sua resposta: este comando será perguntado outra vez.
validate = Este comando precisa da sua confirmação.
duplicate = Este comando foi executado { $ago }. É para repetir?
registry-lost = Perdi o registro de comandos e, por enquanto, pergunto antes de cada um.
rules-changed = As regras do guarda-costas foram mudadas: { $name }. Se não foi você, veja a configuração.
registry-damaged = O registro de comandos estava danificado. Guardei o arquivo à parte e comecei outro.
unknown = Não entendi o pedido.
unknown-heard = Ouvi: { $name }. Isso eu não sei fazer.
found-names = { $more ->
    [0] { $first }.
    [one] { $first } e mais um.
   *[other] { $first } e mais { $more }.
}
found-nothing = Não há nada ali.
shutdown = O guarda-costas está sendo encerrado.
ask-prompt = O que deseja?

## Por que algo não deu certo
failure-no-system-bus = O serviço de sistema que faz isso não responde.
failure-no-session-bus = Não há uma sessão gráfica aqui.
failure-no-service = O programa que faz isso não está aberto.
failure-not-possible = Este computador não consegue fazer isso.
failure-needs-administrator = Isso pede a senha de administrador.
failure-not-allowed = Você não tem permissão para isso.
failure-unchanged = Nada mudou.
failure-player-cannot = O reprodutor não consegue fazer isso agora.
failure-player-silent = O reprodutor não reagiu.
failure-no-other-track = Talvez não haja outra faixa.
failure-still-open = A janela continua aberta; talvez haja trabalho não salvo.
failure-not-open = O aplicativo não está aberto.
failure-no-terminal = Não há um terminal instalado.
failure-program-missing = O programa do aplicativo não está instalado.
failure-ended-at-once = O aplicativo fechou logo depois de abrir.
failure-ended-without-x11 = O aplicativo fechou logo; talvez precise do X11.
failure-no-application = Nenhum aplicativo instalado abre isso.
failure-exists = Já existe algo com esse nome.
failure-not-folder = Isso não é uma pasta.
failure-into-itself = Uma pasta não cabe dentro dela mesma.
failure-home-folder = A sua pasta pessoal não é apagada.
failure-unkept = Não pude guardá-lo para desfazer. Para apagar de vez, use o comando rm.
failure-no-space = O disco está cheio.
failure-read-only = Este disco só pode ser lido.
failure-nothing-to-undo = Não há nada para desfazer.
failure-set-since = Isso foi ajustado de outro jeito depois, e fica como está agora.
failure-no-key = O teclado não tem essa tecla.
failure-declined = O sistema perguntou, e a resposta foi não.

## E o que fazer então
next-doctor = Veja guarda doctor.
next-desktop = Inicie o guarda-costas na sessão gráfica.
next-x11 = Entre pelo X11.
next-plug = Conecte um e peça de novo.
next-sudo = Faça isso num terminal, com sudo.
next-administrator = Peça a quem administra o computador.
next-again = Peça de novo.
next-reopen = Feche-o e abra de novo.
next-window = Tente na janela dele.
next-save = Salve-o.
next-install-terminal = Instale um, como o xterm.
next-reinstall = Instale-o de novo.
next-see-why = Abra-o num terminal para saber.
next-xwayland = Instale o Xwayland.
next-install-application = Instale um que abra.
next-other-name = Escolha outro nome.
next-name-folder = Indique uma pasta.
next-space = Libere espaço no disco e peça de novo.
next-elsewhere = Escolha outro lugar.
next-undo-list = Veja guarda undo --list.
next-other-key = Diga outra tecla.
next-assistant = Pergunte o motivo ao assistente.
next-menu = Diga o nome que aparece no menu.
next-place = Confira o nome e a pasta.
next-install = Instale-o ou confira o nome.
next-quotes = Confira as aspas.
next-longer = Se precisa de mais tempo, execute-o num terminal.
next-player = Abra um e peça de novo.
next-terminal = Execute-o num terminal.
next-other-words = Diga de outro jeito.

## O painel
card-title = guarda-costas
card-ask = Você quer { $effect }?
card-action = Ação
card-tool = Ferramenta
card-command = Comando
card-folder = Pasta
card-session = Sessão
card-asker = Quem pede
card-reasons = Por que pergunto
card-model = Palavras do modelo (não do guarda-costas)
card-instead = Em vez disso
card-keys = { $yes } = sim    { $no } = não
offer-turn-shape = sim, e até a minha próxima mensagem: { $what }
offer-session-shape = sim, e nesta sessão: { $what }
offer-today-shape = sim, e hoje nesta pasta: { $what }
offer-always-shape = sim, e sempre nesta pasta: { $what }
offer-always-command = sim, sempre este comando
offer-session-folder = sim, e confiar em { $what } nesta sessão
offer-always-folder = sim, e confiar em { $what }
offer-session-hosts = sim, e nesta sessão
offer-always-all-hosts = sim, e qualquer outro servidor até o comando terminar
card-anywhere = { $how } Vale em qualquer janela.
card-password = Depois do sim, o sistema pede a senha.
card-time = { $seconds ->
    [one] falta { $seconds } segundo
   *[other] faltam { $seconds } segundos
}
card-waiting = { $count ->
    [one] mais { $count } pergunta espera
   *[other] mais { $count } perguntas esperam
}
card-yes = sim
cli-late-yes = sim; vale por dez minutos: execute o comando de novo
card-no = não
card-change = M = alterar
card-more = espaço = continuar a ler
card-writing = Enter = julgar o que está escrito    Esc = voltar
card-changed = alterado
card-late = tempo esgotado
button-yes = Sim
button-session = Sim, nesta sessão
button-no = Não
notification-elsewhere = Para dizer sim, leia tudo no terminal ou no console.
card-risk = Risco { $risk }: { $level ->
    [low] baixo
    [middle] médio
   *[high] alto
}
card-tree = O que seria executado
card-others = Respondidos junto
card-touches = O que é tocado
card-changes = O que muda
card-sandbox = Confinamento
card-marks = Esta conversa
card-reason = R = não, com um motivo
card-spell = L = ouvir letra por letra
card-code = Para responder de outro lugar, o código é { $code }.
card-words = Para dizer sim em voz alta: { $words }
card-code-there = Um sim daqui precisa do código que é mostrado e falado onde a pergunta é feita.
card-wrong-codes = não: três códigos errados
card-edit = M = mudar no editor
card-because = Enter = não, por este motivo    Esc = voltar
card-editing = O comando está aberto no editor. O que for salvo ali é julgado e perguntado de novo.
card-editor-failed = O comando não foi mudado: { $why }
card-withdrawn = retirado

## Comandos
effect-tool = usar a ferramenta { $name }
effect-tool-match = procurar arquivos como { $name }
effect-tool-read = { $form ->
    [one] ler { $name }
    [few] ler { $name }
   *[many] ler { $count } arquivos
}{ $where }
effect-tool-search = procurar em { $name }
effect-host = deixar { $name } falar com { $host }{ $port }
effect-host-port = {""}, porta { $port }
effect-hosts = deixar { $name } falar com mais { $count } servidores
effect-command = executar { $command }
effect-command-long = executar um comando de { $count } caracteres, que começa com { $command }
effect-delete = { $form ->
    [unknown] apagar { $name }
    [one] apagar { $name }
    [few] apagar { $name }
   *[many] apagar { $count } arquivos
}{ $where }
effect-mirror = apagar de { $name } tudo o que a origem não tem
effect-delete-tree = { $form ->
    [one] apagar { $name }{ $where } com tudo dentro
    [few] apagar { $name }{ $where } com tudo dentro
   *[many] apagar { $count } itens{ $where } com tudo dentro
}
effect-delete-like = apagar tudo o que corresponde a { $name }{ $where }
effect-move = { $form ->
    [one] mover { $name } para { $to }
    [few] mover { $name } para { $to }
   *[many] mover { $count } itens para { $to }
}
effect-copy = { $form ->
    [one] copiar { $name } para { $to }
    [few] copiar { $name } para { $to }
   *[many] copiar { $count } itens para { $to }
}
effect-mode = { $form ->
    [one] mudar permissões de { $name }
    [few] mudar permissões de { $name }
   *[many] mudar permissões de { $count } itens
}{ $where }
effect-owner = { $form ->
    [one] mudar o dono de { $name }
    [few] mudar o dono de { $name }
   *[many] mudar o dono de { $count } itens
}{ $where }
effect-kill = { $count ->
    [one] encerrar o processo { $name }
   *[other] encerrar { $count } processos
}
effect-kill-named = encerrar todos os processos chamados { $name }
effect-as-root = { $effect }, como administrador
effect-format = formatar { $name }
effect-write-device = escrever diretamente em { $name }
effect-write-file = { $form ->
    [unknown] gravar { $name }
    [one] gravar o arquivo { $name }
    [few] gravar os arquivos { $name }
   *[many] gravar { $count } arquivos
}{ $where }
effect-change-file = { $form ->
    [unknown] modificar { $name }
    [one] modificar o arquivo { $name }
    [few] modificar os arquivos { $name }
   *[many] modificar { $count } arquivos
}{ $where }
effect-remove-folder = { $form ->
    [unknown] apagar { $name }
    [one] apagar a pasta vazia { $name }
    [few] apagar as pastas vazias { $name }
   *[many] apagar { $count } pastas vazias
}{ $where }
effect-trash = { $form ->
    [one] mover { $name } para a lixeira
    [few] mover { $name } para a lixeira
   *[many] mover { $count } itens para a lixeira
}
effect-power-off = desligar o computador
effect-restart = reiniciar o computador
effect-git-push = enviar commits do git para { $name }
effect-git-force = sobrescrever o histórico do git em { $name }
effect-git-history = reescrever ou descartar trabalho com git { $name }
effect-git = executar git { $name }
effect-install = instalar { $name }
effect-uninstall = desinstalar { $name }
effect-service = { $verb ->
    [start] iniciar
    [stop] parar
    [restart] reiniciar
    [try-restart] reiniciar
    [reload] recarregar
    [enable] ativar
    [disable] desativar
    [mask] bloquear
    [unmask] desbloquear
    [kill] encerrar
   *[other] { $verb }
} o serviço { $name }
effect-download = acessar { $name } pela rede
effect-remote = executar comandos em outra máquina, { $name }
effect-code = executar um trecho de código { $name }
effect-and = { $first } e { $second }
effect-and-more = { $effects } e executar mais { $count ->
    [one] { $count } comando
   *[other] { $count } comandos
}
in-place = {" "}{ $kind ->
    [home] na sua pasta pessoal
    [root] na raiz do sistema
   *[other] em { $place }
}
from-place = {" "}{ $kind ->
    [home] da sua pasta pessoal
    [root] da raiz do sistema
   *[other] de { $place }
}
place-home = sua pasta pessoal
place-root = a raiz do sistema
remote-default = o servidor
target-unknown = algo que só se conhece na hora

## O que seria tocado
touch-told = { $fate }: { $what }
touch-deleted = apagado
touch-overwritten = sobrescrito
touch-changed = alterado
touch-attributes = outras permissões, dono ou datas
touch-moved = movido
touch-made = criado
touch-read = lido
touch-named = citado
touch-files = { $count ->
    [one] { $count } arquivo
   *[other] { $count } arquivos
}
touch-folders = { $count ->
    [one] { $count } pasta
   *[other] { $count } pastas
}
touch-links = { $count ->
    [one] { $count } atalho
   *[other] { $count } atalhos
}
touch-others = { $count ->
    [one] { $count } dispositivo ou soquete
   *[other] { $count } dispositivos ou soquetes
}
touch-paths = { $count ->
    [one] { $count } caminho
   *[other] { $count } caminhos
}
touch-paths-more = { $count ->
    [one] e mais { $count } caminho
   *[other] e mais { $count } caminhos
}
touch-at-least = pelo menos { $what }
touch-newest = o mais novo escrito { $ago }
touch-unreadable = { $count ->
    [one] { $count } pasta que não posso abrir
   *[other] { $count } pastas que não posso abrir
}
touch-missing = não existe
touch-open = Pode tocar em mais do que se sabe antes de executar.
touch-partly = Nem tudo de que depende pode ser vigiado até a sua resposta.
host-site = o site é { $name }

## O que uma execução encenada mudou
staged = Isto { $what }; { $undo }.
staged-told = Isto { $what }.
staged-nothing = Isto não muda nada.
staged-undoing = Isto desfaz o que foi feito: { $what }.
staged-and = { $first } e { $second }
staged-more = { $first }, { $second }, e faz { $count ->
    [one] outra mudança
   *[other] outras { $count } mudanças
}
staged-deleted = apaga { $things }
staged-replaced = substitui { $things }
staged-changed = sobrescreve { $things }
staged-edited = altera { $things }
staged-moved-to = move { $things } para { $kind ->
    [home] a sua pasta pessoal
    [root] a raiz do sistema
   *[other] a pasta { $place }
}
staged-renamed = renomeia { $things }
staged-created = cria { $things }
staged-attributes = altera os atributos { $things }
staged-items = { $count ->
    [one] { $count } item
   *[other] { $count } itens
}
staged-thing = { $kind ->
    [folder] a pasta { $name }
    [link] o atalho { $name }
   *[other] { $name }
}
staged-of = { $kind ->
    [folder] da pasta { $name }
    [link] do atalho { $name }
   *[other] de { $name }
}
staged-permissions = muda permissões { $things }
size-bytes = { $count ->
    [one] { $count } byte
   *[other] { $count } bytes
}
staged-renamed-to = { $from } para { $to }
staged-with = { $what } com { $inside }
staged-undo = { $count ->
    [one] dá para desfazer por { $count } dia
   *[other] dá para desfazer por { $count } dias
}
staged-final = não dá para desfazer
staged-no-room = não dá para desfazer: { $size } são demais para guardar
staged-moved = movido de { $name }
staged-link = atalho para { $name }
staged-kind = { $kind ->
    [folder] pasta
    [fifo] canal nomeado
    [socket] soquete
   *[device] arquivo de dispositivo
}
staged-mode = permissões { $mode }
staged-owner = dono { $owner }
staged-times = datas ou atributos estendidos
staged-breaks = o arquivo tem outros nomes, que ficam com o conteúdo antigo
staged-because = Não dá para desfazer, e o motivo só existe em inglês: { $why }
staged-strays = { $count ->
    [one] Um processo ainda rodava no fim e foi encerrado.
   *[other] { $count } processos ainda rodavam no fim e foram encerrados.
}
staged-machines = { $count ->
    [one] Tentou uma vez alcançar outra máquina, e não conseguiu.
   *[other] Tentou { $count } vezes alcançar outra máquina, e não conseguiu.
}
staged-ports = { $count ->
    [one] Tentou uma vez alcançar uma porta desta máquina, e não conseguiu.
   *[other] Tentou { $count } vezes alcançar uma porta desta máquina, e não conseguiu.
}

## No que um comando é contido
sandbox-none = nenhum: ele pode tudo o que você pode
sandbox-confined = só muda a pasta onde roda e o que está escrito na linha
sandbox-isolated = isolado num sistema só seu
sandbox-network-none = sem rede
sandbox-network-hosts = só os servidores aprovados
sandbox-network-all = toda a rede
sandbox-lacking = Este computador não consegue conter: { $what }
measure-files = arquivos
measure-scopes = outros processos
measure-network = a rede
measure-sockets = serviços deste computador
measure-calls = chamadas de sistema
measure-privileges = privilégios
measure-session = o terminal
measure-limits = o que é consumido
measure-namespaces = espaços de nomes

## O que a conversa já recebeu
mark-outside = leu texto vindo de fora, que pode ter mandado fazer isto
mark-secret = viu segredos

## Por que se pergunta
reason-destructive = pode apagar ou estragar dados
reason-privilege = usa poderes de administrador
reason-network = troca dados pela rede
reason-execution = executa um programa que não conheço
reason-shell = pode mudar o que outros comandos fazem
reason-download-execution = executa o que vem da rede
reason-persistence = pode continuar agindo mais tarde, sem você ver
reason-secret = pode revelar senhas ou chaves
reason-opaque = não consigo ler este comando por inteiro
reason-beyond = é longo ou emaranhado demais para ser lido com cuidado
reason-broken = o bash não consegue ler este comando e não executa nada dele
reason-misspelt = o programa não tem esse comando e nem começaria
reason-no-cell = este computador não sabe isolar isto
reason-goes-on = fica rodando até alguém parar
reason-not-staged = não posso testar isto antes; decida pelo comando
reason-wants-hidden = quer abrir o que está escondido: { $names }
reason-wants-port = espera conexões na porta { $names }
reason-opens-secrets = pode ler { $names } enquanto roda
reason-serves-secrets = atende na porta { $first } e pode ler { $rest }
reason-unknown = não conheço este pedido
reason-power = desliga ou reinicia o computador
reason-suspend = suspende o computador
reason-open = pode iniciar um programa
reason-processes = encerra programas em uso
reason-files = muda arquivos
reason-permissions = muda quem pode mexer nos arquivos
reason-keys = pressiona teclas em seu lugar
reason-poses = isso pode passar por uma pergunta do guarda
reason-history = pode fazer você perder trabalho guardado no git
reason-packages = instala ou remove programas
reason-guard = mexe no próprio guarda-costas
reason-address = o endereço pode não ser o que parece
reason-scheme = só são abertos endereços http e https, e mailto: sem anexo
reason-letter = começa uma mensagem no programa de e-mail
reason-local-address = é deste computador ou da rede local
reason-address-carries = leva dados ao site
reason-unknown-tool = o guarda não conhece esta ferramenta
reason-denied-tool = esta ferramenta está na lista das que nunca são usadas
reason-exfiltration = esta sessão viu segredos, e isto poderia levá-los embora
reason-secret-session = esta sessão viu segredos, e isto pode mandá-los para fora
reason-corrupted-session = esta sessão leu textos de fora, que podem ter mandado nela
reason-dangerous-service = o que se diz a esta ferramenta pode causar estragos
reason-forbidden-service = sua configuração diz que esta ferramenta nunca é usada
reason-plugin-asks = uma verificação sua quer saber se você quer isto
reason-plugin-denies = uma verificação sua proíbe isto
reason-plugin-failed = uma verificação sua não funcionou, então pergunto
reason-model-asks = o próprio modelo pede confirmação
reason-model-unsure = o modelo não tem certeza de que era isso
reason-radio = liga ou desliga uma rede sem fio
reason-screen = tudo o que está na tela apareceria na imagem
reason-device = escreve diretamente num disco
reason-catastrophic = pode destruir o sistema ou todos os seus arquivos
reason-banned = este programa está na lista dos proibidos
reason-evasion = esconde o que realmente faz
reason-container = age dentro ou fora de um contêiner
reason-remote = age em outra máquina ou na nuvem
reason-elsewhere = não dá para isolar nem desfazer
reason-system = muda a configuração do sistema
reason-unknown-command = não sei se isto só lê
reason-duplicate = o mesmo comando acabou de ser executado
reason-duplicate-since = este comando foi executado { $ago }
reason-failed-before = este comando já deu errado antes
reason-unsealed = foi permitido para sempre, mas o registro não diz por quem
reason-failed-often = { $runs ->
    [one] este comando deu errado na única vez
   *[other] este comando deu errado em { $failed } de { $runs } vezes
}
reason-risky-before = este comando já foi considerado de alto risco
reason-always-ask = alguém pediu para sempre perguntar antes deste comando
reason-never = alguém proibiu este comando
reason-registry-lost = o registro de comandos não responde, então pergunto antes de cada comando
reason-advice-flagged = uma segunda opinião alerta contra isto
reason-advice-unclear = não há uma segunda opinião sobre isto
reason-effects = muda arquivos
reason-host-unnamed = o comando não menciona esse servidor
reason-effects-outside = é fora das pastas em que você confia
reason-effects-final = não dá para desfazer
reason-effects-many = apaga muita coisa, sem volta
reason-effects-device = apareceu um arquivo de dispositivo, que nenhum comando pode criar
reason-effects-set-id = quem executar este programa terá os seus direitos
reason-effects-leads-out = foi criado um atalho que leva para fora das pastas desta sessão
reason-effects-hard-link = o arquivo tem outros nomes, que ficariam com o conteúdo antigo
reason-effects-git-lost = o histórico de um projeto e o que nunca foi enviado se perderiam
reason-do-not-disturb = as perguntas e os avisos do guarda-costas também ficariam em silêncio
reason-effects-git = o git executaria isto sozinho, ou obedeceria a isto
reason-effects-opens = é executado quando a pasta é aberta ou visitada
reason-effects-pipelines = um servidor executa isto quando for enviado
reason-effects-agents = um agente tira daqui as suas ordens ou permissões
reason-effects-run-later = passa a rodar sozinho quando você entra
reason-effects-secret = ali ficam chaves, senhas ou tokens
reason-effects-protected = a sua configuração protege esta pasta
reason-effects-confined = a sua configuração não permite mudar nada ali
reason-generic = as regras pedem a sua confirmação
reason-allowed = as regras permitem isto

## O que o «guarda check» diz de um comando
check-approved = seria feito sem perguntar
check-requires-confirmation = você receberia uma pergunta
check-requires-password = você receberia uma pergunta, e depois a senha seria pedida
check-blocked = nunca é feito
check-risk = risco { $risk }
check-runs = O que seria executado
check-itself = Se um cliente executasse por conta própria: { $what }.
view-title = O que ele veria da sua pasta pessoal
view-none = nada
view-act = tudo menos os segredos, depois do seu sim
view-whole = tudo menos os segredos
view-reads = leitura
view-writes = escrita
view-trusted = você deixa a sessão alterar
view-folder = a pasta de trabalho
view-git = a pasta do git desta árvore
view-named = o comando menciona
view-program = o comando executa
view-path = no caminho de busca
view-tool = para { $programs }
verdict-approved = aprovado
verdict-requires-confirmation = precisa do seu sim
verdict-requires-password = precisa da senha
verdict-blocked = proibido
origin-floor = regra fixa
origin-built-in = de fábrica
origin-profile = perfil
origin-default = nenhuma regra
origin-reader = leitura
origin-config = configuração
origin-caller = quem pediu
origin-registry = registro
origin-effects = mudanças
origin-network = rede
origin-hands = este computador
origin-advice = segunda opinião
way-look = numa cela em que nada muda, nada sai e nada é alcançado
way-stage = com as mudanças retidas até serem julgadas
way-act = numa sandbox que abre o que você aprovou
way-none = sem sandbox

## Há quanto tempo
ago-now = há menos de um segundo
ago-seconds = { $whole ->
    [1] há { $seconds } segundo
   *[other] há { $seconds } segundos
}
ago-minutes = { $minutes ->
    [one] há { $minutes } minuto
   *[other] há { $minutes } minutos
}
ago-hours = há { $hours ->
    [one] { $hours } hora
   *[other] { $hours } horas
}
ago-days = há { $days ->
    [one] { $days } dia
   *[other] { $days } dias
}

## O que dizem os comandos pending, approve, deny, modify, silence e language
cli-none = Nenhuma pergunta em espera.
cli-short = { $given } não é um número de pergunta: dê o que `guarda pending` mostra, ou { $count } letras dele ou mais
cli-several = mais de uma pergunta começa com { $given }: dê mais letras
cli-unknown = nenhuma pergunta que espera começa com { $given }; veja `guarda pending`
cli-silence-off = as perguntas voltam a ser feitas
cli-silence = silêncio por { $minutes } min: toda pergunta é recusada; `guarda silence off` acaba com ele
cli-console = Vale uma vez, por dois minutos. Quem abrir pode responder às suas perguntas: guarde só para você.
cli-code = Código (mostrado e falado onde a pergunta é feita)
cli-code-console = Código para o console (mostrado e falado no computador)
cli-code-wrong = { $count ->
    [one] este não é o código; resta { $count } tentativa
   *[other] este não é o código; restam { $count } tentativas
}
cli-waits = espera pelas anteriores
cli-list-more = Enter = continuar a ler, q e Enter = deixar a pergunta aberta:
cli-list-end = Enter = sim, q e Enter = deixar a pergunta aberta:
cli-here = Sim ou não (s/n)?
cli-list-left = A pergunta continua aberta.
cli-whole = o cartão inteiro: guarda pending { $given }
cli-no-editor = defina VISUAL ou EDITOR para mudá-lo num editor, ou dê o comando: guarda modify { $given } 'COMANDO'
cli-fixed = esta pergunta aceita sim ou não, e nenhum outro comando
cli-unchanged = nada foi mudado, e a pergunta continua esperando
cli-no-terminal = não há aqui um terminal para o editor: { $why }
cli-language = fala-se português

## O que diz o comando undo
undo-none = não há nada para desfazer
undo-unheld = não há nada guardado de { $given }: não mudou nada, já foi desfeito ou é antigo demais; veja `guarda undo --list`
undo-several = mais de um número começa com { $given }: dê mais letras
undo-not-empty = a pasta não está vazia
undo-shared = ela é de outra pessoa, ou todos podem escrever nela: escolha uma pasta sua
undo-copied = { $count ->
    [one] { $count } versão antiga está em { $name }
   *[other] { $count } versões antigas estão em { $name }
}
undo-beside = Nada foi mudado. Para ter as versões antigas ao lado das novas: guarda undo --beside PASTA { $given }
undo-of = desfeito: { $what }
undo-again = Para desfazer isto: guarda undo { $given }
undo-head-at = FEITO
undo-head-until = GUARDADO ATÉ
undo-head-paths = CAMINHOS
undo-head-size = NO DISCO
undo-head-what = O QUÊ
undo-sum = { $count ->
    [one] { $count } ação pode ser desfeita; ocupa { $size }
   *[other] { $count } ações podem ser desfeitas; ocupam { $size }
}
undo-times = feito em { $at }; guardado até { $until }
undo-put-back = volta
undo-deleted = é apagado
undo-restored = é restaurado
undo-more = e mais { $count }

## Sinal por sinal
spell = O comando, sinal por sinal: { $text }
sign = { $sign ->
    [slash] barra
    [backslash] barra invertida
    [dash] hífen
    [underscore] sublinhado
    [dot] ponto
    [comma] vírgula
    [colon] dois pontos
    [semicolon] ponto e vírgula
    [star] asterisco
    [question] interrogação
    [exclamation] exclamação
    [pipe] barra vertical
    [and] e comercial
    [greater] maior que
    [less] menor que
    [dollar] cifrão
    [tilde] til
    [hash] cerquilha
    [at] arroba
    [percent] por cento
    [caret] circunflexo
    [plus] mais
    [equals] igual
    [quote] aspas
    [apostrophe] apóstrofo
    [backtick] crase
    [open] abre parêntese
    [close] fecha parêntese
    [open-square] abre colchete
    [close-square] fecha colchete
    [open-curly] abre chave
    [close-curly] fecha chave
   *[other] sinal { $code }
}

## Os servidores que um comando alcança
network-reaches = { $more ->
    [0] Fala com { $hosts }.
    [one] Fala com { $hosts } e mais um servidor.
   *[other] Fala com { $hosts } e mais { $more } servidores.
}
network-host = { $host }, porta { $ports }: { $why }
network-host-every = { $host }, todas as portas: { $why }
network-why-word = o comando o cita
network-why-tool = { $tool } precisa dele
network-why-remote = o remoto { $remote } do repositório
network-why-policy = sua configuração permite
network-why-tried = o comando quis isso quando foi experimentado
network-why-answer = você permitiu
network-why-all = você disse sim a todos os servidores desta execução
network-moved = { $by } leva { $tool } a outro servidor
network-file = { $file } pode levar { $tool } a outro servidor, que um sim não permite
network-denied = sua configuração proíbe { $host }
network-unknown = { $word }: o servidor só é conhecido durante a execução
network-looks = { $host } é incomum: { $what }
network-unusual-punycode = aparece como { $name }
network-unusual-random = uma parte longa ou aleatória, que pode carregar dados
network-unusual-metadata = o serviço de credenciais de uma nuvem
network-unusual-address = um endereço em vez de um nome
network-unusual-local = este computador ou sua rede local, onde um servidor pode repassar dados a qualquer outra máquina
network-unusual-own-address = um endereço deste computador ou da rede dele, que pode repassar dados
network-whole = { $program } precisa de toda a rede: { $why }
network-whole-sockets = abre soquetes de todo tipo
network-whole-packets = envia mais do que TCP
network-whole-names = consulta servidores de nomes
network-whole-interfaces = mostra a rede deste computador
network-whole-configured = sua configuração diz isso

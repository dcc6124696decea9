
# As ações do vocabulário. As mesmas mensagens, com os mesmos argumentos, estão em actions-en.ftl e actions-fr.ftl.

## Os seus nomes, no histórico
action-OPEN_APP = abrir o aplicativo
action-CLOSE_APP = fechar o aplicativo
action-OPEN_URL = abrir o endereço
action-OPEN_FOLDER = abrir a pasta
action-VOLUME_UP = aumentar o volume
action-VOLUME_DOWN = diminuir o volume
action-VOLUME_MUTE = ligar ou desligar o som
action-VOLUME_UNMUTE = ligar o som
action-VOLUME_SET = ajustar o volume
action-MEDIA_PLAY_PAUSE = tocar ou pausar
action-MEDIA_PLAY = tocar
action-MEDIA_PAUSE = pausar
action-MEDIA_NEXT = ir para a próxima faixa
action-MEDIA_PREV = voltar à faixa anterior
action-MEDIA_STOP = parar a mídia
action-MEDIA_SHUFFLE = ordem aleatória
action-MEDIA_REPEAT = repetir
action-MEDIA_SEEK = avançar ou voltar na faixa
action-MEDIA_STATUS = dizer o que está tocando
action-RUN_COMMAND = executar um comando
action-KEY_PRESS = apertar a tecla
action-BRIGHTNESS = mudar o brilho
action-SCREEN_OFF = apagar a tela
action-SCREENSHOT = fotografar a tela
action-LOCK = bloquear a tela
action-SUSPEND = suspender o computador
action-REBOOT = reiniciar o computador
action-SHUTDOWN = desligar o computador
action-WIFI = ligar ou desligar o Wi-Fi
action-BLUETOOTH = ligar ou desligar o Bluetooth
action-NOTIFY = mostrar uma notificação
action-DO_NOT_DISTURB = não perturbe
action-REPLY = dizer
action-FILE_OPEN = abrir o arquivo
action-FILE_LIST = listar a pasta
action-FILE_COPY = copiar
action-FILE_MOVE = mover
action-FILE_DELETE = apagar
action-FILE_MKDIR = criar a pasta
action-END_GRANTS = cancelar as permissões
action-UNDO = desfazer
action-UNKNOWN = pedido não entendido

## O que vai acontecer, no infinitivo
effect-open-app = abrir o aplicativo { $name }
effect-close-app = fechar o aplicativo { $name }
effect-open-url = abrir o endereço { $name }
effect-write-to = começar uma mensagem para { $name }
effect-open-folder = abrir a pasta { $name }
effect-volume-up = aumentar o volume em { $percent } por cento
effect-volume-down = diminuir o volume em { $percent } por cento
effect-volume-set = pôr o volume em { $percent } por cento
effect-volume-mute = { $level ->
    [toggle-mute] silenciar ou ligar o som
   *[mute] silenciar o som
}
effect-volume-unmute = ligar o som
effect-brightness = { $level ->
    [up] aumentar o brilho em { $percent } por cento
    [down] diminuir o brilho em { $percent } por cento
   *[set] pôr o brilho em { $percent } por cento
}
effect-media-play-pause = tocar ou pausar a música
effect-media-play = tocar a música
effect-media-pause = pausar a música
effect-media-stop = parar a música
effect-media-next = passar para a próxima faixa
effect-media-prev = voltar para a faixa anterior
effect-media-shuffle = { $switch ->
    [on] tocar as faixas em ordem aleatória
    [off] tocar as faixas na ordem
   *[toggle] ligar ou desligar a ordem aleatória das faixas
}
effect-media-repeat = { $what ->
    [track] repetir esta faixa
    [all] repetir todas as faixas
   *[off] parar de repetir
}
effect-media-seek = { $seconds ->
    [1] avançar um segundo
   *[other] avançar { $seconds } segundos
  }
effect-media-seek-back = { $seconds ->
    [1] voltar um segundo
   *[other] voltar { $seconds } segundos
  }
effect-media-status = dizer o que está tocando
effect-key-press = pressionar { $name }
effect-lock = bloquear a tela
effect-screen-off = desligar a tela
effect-screenshot = fotografar a tela inteira
effect-do-not-disturb = { $switch ->
    [on] ativar o Não perturbe
    [off] desativar o Não perturbe
   *[toggle] ativar ou desativar o Não perturbe
}
effect-suspend = suspender o computador
effect-reboot = reiniciar o computador
effect-shutdown = desligar o computador
effect-wifi = { $switch ->
    [on] ligar o Wi-Fi
    [off] desligar o Wi-Fi
   *[toggle] ligar ou desligar o Wi-Fi
}
effect-bluetooth = { $switch ->
    [on] ligar o Bluetooth
    [off] desligar o Bluetooth
   *[toggle] ligar ou desligar o Bluetooth
}
effect-notify = mostrar a notificação { $name }
effect-reply = dizer { $name }
effect-file-open = abrir { $name }
effect-file-list = listar a pasta { $name }
effect-file-copy = copiar { $name } para { $to }
effect-file-move = mover { $name } para { $to }
effect-file-delete = { $kind ->
    [folder] apagar a pasta { $name } com tudo dentro
    [link] apagar o atalho { $name }
    [file] apagar { $name }
   *[unknown] apagar { $name }, com tudo o que houver dentro
}
effect-file-mkdir = criar a pasta { $name }
effect-end-grants = cancelar tudo o que você permitiu de antemão
effect-undo = { $run ->
    [given] desfazer uma ação anterior
    [part] desfazer o que foi feito em { $path }
    [turn] desfazer tudo desde a última mensagem
    [session] desfazer tudo o que esta sessão mudou
    [since] desfazer tudo desde { $time }
   *[last] desfazer a última coisa que foi feita aqui
}
effect-unknown = fazer { $name }, que não está entre as ações conhecidas

## O que se diz depois
done = Feito.
done-run-command = Pronto: { $name }.
done-open = Pronto, abri { $name }.
done-file-open = Pronto, abri { $name }.
done-volume = Volume ajustado.
done-brightness = Brilho ajustado.
done-media = O reprodutor recebeu a ordem.
done-key-press = Pronto, tecla { $name } pressionada.
done-notify = Pronto, notificação mostrada.
done-file-list = Pronto, conteúdo de { $name } listado.
done-file-copy = Copiei { $name } para { $to }.
done-file-move = Movi { $name } para { $to }.
done-file-delete = Apaguei { $name }.
done-file-mkdir = Criei a pasta { $name }.
done-close-app = Pronto, fechei { $name }.
done-end-grants = Pronto, nada mais está permitido de antemão: volto a perguntar.
done-undo = Pronto, está como era antes.
now-written = A imagem da tela está em { $name }.
now-written-short = A imagem da tela está na pasta { $name }.
now-volume = { $muted ->
    [true] Som desligado.
   *[false] Volume em { $percent } por cento.
}
now-brightness = Brilho em { $given } por cento.
now-playing = Tocando.
now-playing-title = Tocando agora: { $name }.
now-paused = Pausado.
now-paused-title = Em pausa: { $name }.
now-stopped = Parado.

## As partes da máquina de que elas precisam
failure-no-sound = O servidor de som não responde.
failure-no-display = Não há uma tela para isso.
failure-only-x11 = Isso só funciona no X11, e esta sessão é Wayland.
failure-no-portal = Nenhum portal da área de trabalho faz isso aqui.
failure-no-backlight = Nenhuma tela aqui tem brilho ajustável; um monitor externo tem botões.
failure-no-bluetooth = Não há um adaptador Bluetooth.
failure-no-wifi = Não há um adaptador Wi-Fi.
part-applications = aplicativos
part-browser = navegador
part-file-manager = gerenciador de arquivos
part-terminal = terminal
part-volume = volume
part-brightness = brilho da tela
part-media = reprodutor de mídia
part-keys = pressionar teclas
part-screen = tela
part-power = energia
part-wifi = Wi-Fi
part-bluetooth = Bluetooth
part-notifications = notificações
mend-volume = systemctl --user start pipewire-pulse, ou pulseaudio --start; depois aumente o volume ou ligue o som
mend-keys = precisa de um servidor X: defina DISPLAY
mend-keys-wayland = o Wayland não deixa um programa pressionar teclas; todo o resto funciona
mend-screen = precisa de um servidor X: defina DISPLAY
mend-screen-wayland = sudo apt install xdg-desktop-portal, e o portal do seu ambiente: xdg-desktop-portal-gnome, -kde ou -wlr
mend-applications = precisa de uma área de trabalho: inicie onde DISPLAY ou WAYLAND_DISPLAY está definido
mend-browser = instale um navegador e escolha-o: xdg-settings set default-web-browser NOME.desktop
mend-file-manager = instale um, por exemplo: sudo apt install pcmanfm
mend-terminal = instale um, como xterm ou foot, ou diga qual em terminal.program
mend-notifications = inicie um programa de notificações, por exemplo: sudo apt install dunst
mend-power = o gerenciador de login do systemd não responde: sudo apt install dbus systemd
mend-wifi = sudo apt install network-manager
mend-bluetooth = sudo apt install bluez
mend-brightness = nada a fazer: um monitor externo tem os seus próprios botões
mend-media = abra um reprodutor, como o VLC

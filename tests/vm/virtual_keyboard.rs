//! A keyboard that a program makes (uinput), which says that it is a good one, and presses a key on it; or, given a node,
//! a program that puts the press into a keyboard that is there. For `make test-vm`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "a tool of the tests")]

use std::time::Duration;

use evdev::uinput::VirtualDevice;
use evdev::{AttributeSet, BusType, EventType, InputEvent, InputId, KeyCode};

fn main() {
    let mut words = std::env::args().skip(1);
    let key = KeyCode(words.next().expect("the number of a key").parse().unwrap());
    let press = |value| InputEvent::new(EventType::KEY.0, key.0, value);
    if let Some(node) = words.next() {
        let mut device = evdev::Device::open(&node).expect("the node can be opened");
        device.send_events(&[press(1)]).expect("the node takes a press");
        std::thread::sleep(Duration::from_millis(80));
        device.send_events(&[press(0)]).unwrap();
        println!("pressed {key:?} on {node}");
        return;
    }
    let keys: AttributeSet<KeyCode> = (1..120).map(KeyCode).collect();
    let builder = VirtualDevice::builder().expect("/dev/uinput");
    let mut device = builder
        .name("Logitech USB Keyboard")
        .input_id(InputId::new(BusType::BUS_USB, 0x046d, 0xc31c, 0x0110))
        .with_keys(&keys)
        .unwrap()
        .build()
        .unwrap();
    // Time for the helper to find it.
    std::thread::sleep(Duration::from_millis(5000));
    for value in [1, 0] {
        device.emit(&[press(value)]).unwrap();
        std::thread::sleep(Duration::from_millis(1400));
    }
    println!("pressed {key:?} on a keyboard of a program");
    std::thread::sleep(Duration::from_millis(1500));
}

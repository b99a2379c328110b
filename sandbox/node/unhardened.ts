// Code of both kinds of guest calls `harden`. Without lockdown the name only has to exist.
Reflect.set(globalThis, 'harden', (value: unknown) => value);

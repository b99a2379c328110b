// Code that both kinds of guest share hardens what it hands out. Without lockdown there is nothing
// to protect from: the name has to exist, no more.
Reflect.set(globalThis, 'harden', (value: unknown) => value);

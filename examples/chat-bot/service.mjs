// Stands in for a chat service: it prints what the bot posts, and sends the bot what people write and press.
// Each line of the terminal is one person: "bob: pay e1", "ann: approve".
import { createHmac, randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';

/** Signs an event as chat services do: the time and the body, with a shared secret. */
export function sign(secret, time, body) {
  return createHmac('sha256', secret).update(`${time}:${body}`).digest('hex');
}

export function startService() {
  const secret = randomBytes(32).toString('hex');
  let buttons = [];
  let bot = '';
  const post = ({ channel, text, buttons: shown = [] }) => {
    if (shown.length > 0) buttons = shown;
    const names = shown.map(({ name }) => ` [${name}]`).join('');
    process.stdout.write(`#${channel}: ${text}${names}\n`);
  };
  const send = async (event) => {
    const body = JSON.stringify(event);
    const time = String(Date.now());
    const headers = { 'x-chat-time': time, 'x-chat-signature': sign(secret, time, body) };
    const answer = await fetch(bot, { method: 'POST', headers, body });
    if (!answer.ok) process.stdout.write(`the bot refused: ${await answer.text()}\n`);
  };
  const run = async (url) => {
    bot = url;
    for await (const line of createInterface({ input: process.stdin })) {
      const [, user, text] = /^(\w+): *(.+)$/.exec(line) ?? [];
      if (user === undefined) continue;
      const button = buttons.find(({ name }) => name === text);
      await send(button === undefined ? { user, text } : { user, pressed: button.value });
    }
  };
  return { secret, post, run };
}

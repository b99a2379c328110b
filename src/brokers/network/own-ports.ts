import { isIP, type Socket } from 'node:net';
import { blockedRange } from './addresses.js';

/** The ports on which servers of this process listen, with the number of servers on each. */
const ownPorts = new Map<number, number>();

/** Refuses plugins at that port of this machine until the returned function is called. */
export function reserveOwnPort(port: number): () => void {
  ownPorts.set(port, (ownPorts.get(port) ?? 0) + 1);
  let released = false;
  return () => {
    if (released) return;
    released = true;
    const left = (ownPorts.get(port) ?? 0) - 1;
    if (left > 0) ownPorts.set(port, left);
    else ownPorts.delete(port);
  };
}

/** Whether a connected socket leads to a server of this process. */
export function leadsToOwnPort({
  remotePort = 0,
  remoteAddress = '',
  localAddress,
}: Socket): boolean {
  if (!ownPorts.has(remotePort)) return false;
  // A connection to any address of this machine starts at that address, except within 127.0.0.0/8.
  return remoteAddress === localAddress || isLoopbackAddress(remoteAddress);
}

function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && (blockedRange(address) ?? '').includes('loopback');
}

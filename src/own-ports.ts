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

/** Whether a server of this process listens on that port. */
export function isOwnPort(port: number): boolean {
  return ownPorts.has(port);
}

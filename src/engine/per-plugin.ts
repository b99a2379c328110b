/** Makes one of these for each plugin. */
export function perPlugin<One>(make: () => One): (plugin: string) => One {
  const made = new Map<string, One>();
  return (plugin) => {
    const one = made.get(plugin) ?? make();
    made.set(plugin, one);
    return one;
  };
}

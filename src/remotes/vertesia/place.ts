/** Where a tool is sent, by what its server wrote and the URL that listed it. */
export function placeOf(written: string | undefined, endpoint: string): URL | undefined {
  const listed = new URL(endpoint);
  if (written === undefined || written === '') return listed;
  if (/^[a-z][a-z\d+.-]*:/i.test(written) || written.startsWith('/')) return parse(written, listed);
  // `tools/house` is relative to the root of the server's paths: what stands before `/tools`.
  const [first = ''] = written.split('/');
  const segments = listed.pathname.split('/');
  const at = segments.lastIndexOf(first);
  if (at < 0) return parse(written, listed);
  const base = new URL(listed);
  base.pathname = `${segments.slice(0, at).join('/')}/`;
  return parse(written, base);
}

function parse(text: string, base: URL): URL | undefined {
  if (!URL.canParse(text, base.href)) return undefined;
  const url = new URL(text, base);
  const isHttp = url.protocol === 'https:' || url.protocol === 'http:';
  return isHttp && url.username === '' && url.password === '' ? url : undefined;
}

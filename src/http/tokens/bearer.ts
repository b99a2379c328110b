import { HttpRefusal } from '../refusal.js';

/** The token of an Authorization header. Throws 401, in the words of Vertesia's own servers. */
export function bearerOf(header: string | null, maxBytes: number): string {
  if (header === null || header.trim() === '') throw unauthorized('Missing Authorization header');
  if (header.length > maxBytes) throw unauthorized('The Authorization header is too long');
  const [scheme = '', token, ...rest] = header.trim().split(/ +/);
  if (scheme.toLowerCase() !== 'bearer') {
    throw unauthorized(`Authorization scheme ${scheme.slice(0, 40)} is not supported`);
  }
  if (token === undefined) throw unauthorized('Missing bearer token value');
  if (rest.length > 0) throw unauthorized('Invalid JWT');
  return token;
}

export function unauthorized(message: string): HttpRefusal {
  return new HttpRefusal(401, message, { headers: { 'www-authenticate': 'Bearer' } });
}

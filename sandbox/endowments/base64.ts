import type { Endowed, Endowment } from './endowment.js';
import { domExceptionClass } from './events/dom-exception.js';
import { toText } from './web-idl.js';

/** `atob` and `btoa`. */
export const base64: Endowment = {
  globals: ['atob', 'btoa'],
  make: (capabilities): Endowed => {
    const DOMException = domExceptionClass(capabilities);
    // The platform's error is an object of the host's realm, so ours replaces it.
    const orRefuse = (convert: () => string, problem: string): string => {
      try {
        return convert();
      } catch {
        throw new DOMException(problem, 'InvalidCharacterError');
      }
    };
    return {
      globals: {
        atob: (data: unknown): string => {
          const input = toText(data);
          return orRefuse(() => capabilities.text.atob(input), 'The text is not base64');
        },
        btoa: (data: unknown): string => {
          const input = toText(data);
          return orRefuse(
            () => capabilities.text.btoa(input),
            'The text holds a character that is more than one byte',
          );
        },
      },
      revoke: () => undefined,
    };
  },
};

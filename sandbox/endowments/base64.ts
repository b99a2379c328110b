import type { Endowed, Endowment } from './endowment.js';
import { domExceptionClass } from './events/dom-exception.js';
import { toText } from './web-idl.js';

/** `atob` and `btoa`. */
export const base64: Endowment = {
  globals: ['atob', 'btoa'],
  make: (powers): Endowed => {
    const DOMException = domExceptionClass(powers);
    // The platform's own error is an object of its own: ours says the same.
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
          return orRefuse(() => powers.text.atob(input), 'The text is not base64');
        },
        btoa: (data: unknown): string => {
          const input = toText(data);
          return orRefuse(
            () => powers.text.btoa(input),
            'The text holds a character that is more than one byte',
          );
        },
      },
      revoke: () => undefined,
    };
  },
};

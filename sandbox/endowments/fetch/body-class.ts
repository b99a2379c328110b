import { makeBrand, type Brand } from '../brand.js';
import type { EndowmentCapabilities } from '../endowment.js';
import { formDecode } from '../form-urlencoded.js';
import { perCompartment } from '../per-compartment.js';
import { blobClasses, decodeUtf8 } from './blob.js';
import { type Body, collectBody, isUsed, openBody } from './body.js';
import { formDataClass, type FormEntry, forms } from './form-data.js';
import { getHeader, headerStates } from './headers.js';
import { parseMultipart, readBoundary } from './multipart.js';

export interface BodyOwner {
  body: Body | undefined;
  /** A Headers object. */
  readonly headers: object;
}

export const bodyOwners: Brand<BodyOwner> = makeBrand<BodyOwner>('Request or Response');

export type BodyClass = new () => object;

/** The body members that `Request` and `Response` share. */
export const bodyClass: (capabilities: EndowmentCapabilities) => BodyClass = perCompartment(
  (capabilities) => {
    const FormData = formDataClass(capabilities);
    const { makeBlob, makeFile } = blobClasses(capabilities);

    const gather = async (owner: BodyOwner): Promise<Uint8Array> =>
      collectBody(owner.body, capabilities.limits.maxBodyBytes);
    const readForm = (bytes: Uint8Array, type: string): FormEntry[] | undefined => {
      if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
        return formDecode(decodeUtf8(bytes, capabilities.text), capabilities.text);
      }
      const boundary = /^multipart\/form-data\s*;/i.test(type) ? readBoundary(type) : undefined;
      if (boundary === undefined) return undefined;
      return parseMultipart(bytes, boundary, capabilities.text)?.map(
        ({ name, fileName, type: label, content }) =>
          fileName === undefined
            ? [name, decodeUtf8(content, capabilities.text)]
            : [name, makeFile(content, label, fileName)],
      );
    };

    return class Body {
      get body(): object | null {
        const { body } = bodyOwners.demand(this);
        return body === undefined ? null : openBody(body);
      }
      get bodyUsed(): boolean {
        const { body } = bodyOwners.demand(this);
        return body !== undefined && isUsed(body);
      }

      async text(): Promise<string> {
        return decodeUtf8(await gather(bodyOwners.demand(this)), capabilities.text);
      }
      async json(): Promise<unknown> {
        const text = decodeUtf8(await gather(bodyOwners.demand(this)), capabilities.text);
        const value: unknown = JSON.parse(text);
        return value;
      }
      async arrayBuffer(): Promise<ArrayBufferLike> {
        const { buffer } = await gather(bodyOwners.demand(this));
        return buffer;
      }
      async bytes(): Promise<Uint8Array> {
        return gather(bodyOwners.demand(this));
      }
      async blob(): Promise<object> {
        const owner = bodyOwners.demand(this);
        return makeBlob(await gather(owner), contentType(owner).toLowerCase());
      }
      async formData(): Promise<object> {
        const owner = bodyOwners.demand(this);
        const list = readForm(await gather(owner), contentType(owner));
        if (list === undefined) throw new TypeError('The body is not a form');
        const form: object = Object.create(FormData.prototype);
        forms.give(form, { list });
        return form;
      }
    };
  },
);

function contentType({ headers }: BodyOwner): string {
  return getHeader(headerStates.demand(headers).list, 'content-type') ?? '';
}

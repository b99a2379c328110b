import { SPINDLE_POWERS, type SpindlePower } from 'bulkhead/types/spindle-host';

export const getActive: SpindlePower<'spindle.chats.getActive'> = {
  name: 'spindle.chats.getActive',
  permission: SPINDLE_POWERS['spindle.chats.getActive'],
  handler: ({ args: [userId] }) => ({ id: 'chat', userId: userId ?? '' }),
};

export const upload: SpindlePower<'spindle.uploads.get'> = {
  name: 'spindle.uploads.get',
  permission: 'spindle',
  maxResultBytes: 16 * 1024 * 1024,
  handler: ({ args: [uploadId] }) => ({
    fileName: uploadId,
    size: 1,
    data: new Uint8Array([1]),
  }),
};

export const wrong: SpindlePower<'spindle.chats.getActive'> = {
  name: 'spindle.chats.getActive',
  // @ts-expect-error -- the permission is `chats`
  permission: 'spindle',
  handler: () => null,
};

/**
 * The powers that a host lends to Spindle extensions, by name, with the permission, the arguments
 * and the result of each:
 *
 *     import { SPINDLE_POWERS, type SpindlePower } from 'bulkhead/types/spindle-host';
 *     const getActive: SpindlePower<'spindle.chats.getActive'> = {
 *       name: 'spindle.chats.getActive',
 *       permission: SPINDLE_POWERS['spindle.chats.getActive'],
 *       handler: () => activeChat,
 *     };
 *
 * An extension's call `spindle.chats.getActive(userId)` reaches the handler as `{ args: [userId] }`.
 * Arguments and results are JSON and bytes (`Uint8Array`).
 */

/** The permission of each power. `spindle` is the permission that every extension requests. */
export const SPINDLE_POWERS: {
  readonly [Name in SpindlePowerName]: SpindlePowers[Name]['permission'];
};

export type SpindlePowerName = keyof SpindlePowers;

/** The definition of one power, for the engine's option `powers`. */
export interface SpindlePower<Name extends SpindlePowerName> {
  readonly name: Name;
  readonly permission: SpindlePowers[Name]['permission'];
  readonly description?: string;
  readonly risk?: 'low' | 'medium' | 'high';
  /** Milliseconds for one use. Default: 60,000. */
  readonly timeoutMs?: number;
  /** Bytes of the arguments and of the result. Default: the engine's limits of powers. */
  readonly maxArgumentBytes?: number;
  readonly maxResultBytes?: number;
  handler(
    input: { readonly args: SpindlePowers[Name]['args'] },
    context: { readonly plugin: string; readonly permission: string; readonly signal: AbortSignal },
  ): SpindlePowers[Name]['result'] | Promise<SpindlePowers[Name]['result']>;
}

/** An object of JSON. */
type Fields = { readonly [key: string]: any };

/** One page of a list. */
interface Page {
  readonly data: readonly Fields[];
  /** Items in all pages. */
  readonly total: number;
}

interface ChatMessage extends Fields {
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

interface GenerationRequest extends Fields {
  readonly messages?: readonly { readonly role: string; readonly content: any }[];
  readonly connection_id?: string;
  readonly parameters?: Fields;
}

interface Generated extends Fields {
  readonly content: string;
}

interface StreamChunk extends Fields {
  /** `done` is the last one. */
  readonly type: 'token' | 'reasoning' | 'done';
  readonly token?: string;
}

interface TokenCount extends Fields {
  readonly total_tokens: number;
}

export interface SpindlePowers {
  'spindle.assemble': {
    permission: 'generation';
    args: [input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.backendProcesses.get': {
    permission: 'spindle';
    args: [processId: string];
    result: Fields | null;
  };
  'spindle.backendProcesses.list': {
    permission: 'spindle';
    args: [filter?: Fields];
    result: readonly Fields[];
  };
  'spindle.backendProcesses.send': {
    permission: 'spindle';
    args: [processId: string, payload: any, userId?: string];
    result: void;
  };
  'spindle.backendProcesses.spawn': {
    permission: 'spindle';
    args: [options: Fields];
    result: Fields;
  };
  'spindle.backendProcesses.stop': {
    permission: 'spindle';
    args: [processId: string, options?: Fields];
    result: unknown;
  };
  'spindle.batch': { permission: 'spindle'; args: [operations: Fields[]]; result: unknown };
  'spindle.characters.create': {
    permission: 'characters';
    args: [input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.characters.delete': {
    permission: 'characters';
    args: [characterId: string, userId?: string];
    result: unknown;
  };
  'spindle.characters.get': {
    permission: 'characters';
    args: [characterId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.characters.list': { permission: 'characters'; args: [options?: Fields]; result: Page };
  'spindle.characters.setAvatar': {
    permission: 'characters';
    args: [characterId: string, avatar: Fields, userId?: string];
    result: unknown;
  };
  'spindle.characters.update': {
    permission: 'characters';
    args: [characterId: string, input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.chat.appendMessage': {
    permission: 'chat_mutation';
    args: [chatId: string, message: Fields, options?: Fields];
    result: unknown;
  };
  'spindle.chat.deleteMessage': {
    permission: 'chat_mutation';
    args: [chatId: string, messageId: string];
    result: unknown;
  };
  'spindle.chat.getMessages': {
    permission: 'chat_mutation';
    args: [chatId: string];
    result: readonly ChatMessage[];
  };
  'spindle.chat.isMessageHidden': {
    permission: 'chat_mutation';
    args: [chatId: string, messageId: string];
    result: boolean;
  };
  'spindle.chat.setMessageHidden': {
    permission: 'chat_mutation';
    args: [chatId: string, messageId: string, hidden: boolean];
    result: unknown;
  };
  'spindle.chat.setMessagesHidden': {
    permission: 'chat_mutation';
    args: [chatId: string, messageIds: string[], hidden: boolean];
    result: unknown;
  };
  'spindle.chat.setStyleMode': {
    permission: 'app_manipulation';
    args: [chatId: string, mode: Fields, userId?: string];
    result: unknown;
  };
  'spindle.chat.updateMessage': {
    permission: 'chat_mutation';
    args: [chatId: string, messageId: string, patch: Fields];
    result: unknown;
  };
  'spindle.chats.delete': {
    permission: 'chats';
    args: [chatId: string, userId?: string];
    result: unknown;
  };
  'spindle.chats.get': {
    permission: 'chats';
    args: [chatId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.chats.getActive': {
    permission: 'chats';
    args: [userId?: string];
    result: Fields | null;
  };
  'spindle.chats.getMemories': {
    permission: 'chats';
    args: [chatId: string, options?: Fields];
    result: unknown;
  };
  'spindle.chats.list': { permission: 'chats'; args: [options?: Fields]; result: Page };
  'spindle.chats.update': {
    permission: 'chats';
    args: [chatId: string, input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.color.extractColors': {
    permission: 'app_manipulation';
    args: [image: unknown];
    result: unknown;
  };
  'spindle.connections.get': {
    permission: 'generation';
    args: [connectionId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.connections.list': {
    permission: 'generation';
    args: [userId?: string];
    result: readonly Fields[];
  };
  'spindle.connections.resolveDispatch': {
    permission: 'generation';
    args: [request: Fields];
    result: Fields | null;
  };
  'spindle.council.getAvailableLumiaItems': {
    permission: 'spindle';
    args: [options?: Fields];
    result: readonly Fields[];
  };
  'spindle.council.getMembers': {
    permission: 'spindle';
    args: [options?: Fields];
    result: readonly Fields[];
  };
  'spindle.council.getSettings': {
    permission: 'spindle';
    args: [options?: Fields];
    result: Fields | null;
  };
  'spindle.databanks.create': {
    permission: 'databanks';
    args: [input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.databanks.delete': {
    permission: 'databanks';
    args: [databankId: string, userId?: string];
    result: unknown;
  };
  'spindle.databanks.documents.create': {
    permission: 'databanks';
    args: [databankId: string, input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.databanks.documents.delete': {
    permission: 'databanks';
    args: [documentId: string, userId?: string];
    result: unknown;
  };
  'spindle.databanks.documents.get': {
    permission: 'databanks';
    args: [documentId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.databanks.documents.getContent': {
    permission: 'databanks';
    args: [documentId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.databanks.documents.list': {
    permission: 'databanks';
    args: [databankId: string, options?: Fields];
    result: Page;
  };
  'spindle.databanks.documents.reprocess': {
    permission: 'databanks';
    args: [documentId: string, userId?: string];
    result: unknown;
  };
  'spindle.databanks.documents.update': {
    permission: 'databanks';
    args: [documentId: string, input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.databanks.get': {
    permission: 'databanks';
    args: [databankId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.databanks.list': { permission: 'databanks'; args: [options?: Fields]; result: Page };
  'spindle.databanks.update': {
    permission: 'databanks';
    args: [databankId: string, input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.dlc.getCatalog': {
    permission: 'spindle';
    args: [options?: Fields];
    result: Fields | null;
  };
  'spindle.entityExtensions.setNamespace': {
    permission: 'world_books';
    args: [entity: Fields, value: unknown];
    result: unknown;
  };
  'spindle.events.getLatestState': {
    permission: 'event_tracking';
    args: [keys: string[]];
    result: Fields;
  };
  'spindle.events.query': {
    permission: 'event_tracking';
    args: [filter: any];
    result: readonly Fields[];
  };
  'spindle.events.replay': {
    permission: 'event_tracking';
    args: [filter: any];
    result: readonly Fields[];
  };
  'spindle.events.track': {
    permission: 'event_tracking';
    args: [eventName: any, payload: any, options: any];
    result: unknown;
  };
  'spindle.frontendCapabilities.declare': {
    permission: 'spindle';
    args: [capability: string];
    result: void;
  };
  'spindle.frontendProcesses.get': {
    permission: 'spindle';
    args: [processId: string];
    result: Fields | null;
  };
  'spindle.frontendProcesses.list': {
    permission: 'spindle';
    args: [filter?: Fields];
    result: readonly Fields[];
  };
  'spindle.frontendProcesses.send': {
    permission: 'spindle';
    args: [processId: string, payload: any, userId?: string];
    result: void;
  };
  'spindle.frontendProcesses.spawn': {
    permission: 'spindle';
    args: [options: Fields];
    result: Fields;
  };
  'spindle.frontendProcesses.stop': {
    permission: 'spindle';
    args: [processId: string, options?: Fields];
    result: unknown;
  };
  'spindle.generate.assemble': { permission: 'generation'; args: [input: Fields]; result: unknown };
  'spindle.generate.batch': {
    permission: 'generation';
    args: [input: Fields];
    result: readonly unknown[];
  };
  'spindle.generate.dryRun': {
    permission: 'generation';
    args: [input: any, userId?: string];
    result: unknown;
  };
  'spindle.generate.quiet': {
    permission: 'generation';
    args: [input: GenerationRequest];
    result: Generated | string;
  };
  'spindle.generate.quietStream': {
    permission: 'generation';
    args: [input: GenerationRequest];
    result: readonly StreamChunk[] | Generated | string;
  };
  'spindle.generate.quietTracked': {
    permission: 'generation';
    args: [input: GenerationRequest];
    result: unknown;
  };
  'spindle.generate.raw': {
    permission: 'generation';
    args: [input: GenerationRequest];
    result: Generated | string;
  };
  'spindle.generate.rawStream': {
    permission: 'generation';
    args: [input: GenerationRequest];
    result: readonly StreamChunk[] | Generated | string;
  };
  'spindle.global_addons.get': {
    permission: 'personas';
    args: [addonId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.global_addons.list': { permission: 'personas'; args: [options?: Fields]; result: Page };
  'spindle.global_addons.update': {
    permission: 'personas';
    args: [addonId: string, input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.imageGen.generate': { permission: 'image_gen'; args: [input: Fields]; result: unknown };
  'spindle.imageGen.generateStream': {
    permission: 'image_gen';
    args: [input: Fields];
    result: readonly Fields[];
  };
  'spindle.imageGen.getConnection': {
    permission: 'image_gen';
    args: [connectionId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.imageGen.getModels': {
    permission: 'image_gen';
    args: [connectionId: string, userId?: string];
    result: readonly Fields[];
  };
  'spindle.imageGen.getProviders': {
    permission: 'image_gen';
    args: [userId?: string];
    result: readonly Fields[];
  };
  'spindle.imageGen.listConnections': {
    permission: 'image_gen';
    args: [userId?: string];
    result: readonly Fields[];
  };
  'spindle.images.delete': {
    permission: 'images';
    args: [imageId: string, userId?: string];
    result: unknown;
  };
  'spindle.images.deleteMany': {
    permission: 'images';
    args: [imageIds: string[], options?: Fields];
    result: unknown;
  };
  'spindle.images.get': {
    permission: 'images';
    args: [imageId: string, optionsOrUserId?: Fields];
    result: Fields | null;
  };
  'spindle.images.list': { permission: 'images'; args: [options?: Fields]; result: Page };
  'spindle.images.upload': {
    permission: 'images';
    args: [input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.images.uploadFromDataUrl': {
    permission: 'images';
    args: [dataUrl: string, originalFilenameOrOptions?: Fields, userId?: string];
    result: unknown;
  };
  'spindle.images.uploadMany': {
    permission: 'images';
    args: [items: Fields[], options?: Fields];
    result: unknown;
  };
  'spindle.macros.resolve': {
    permission: 'spindle';
    args: [template: string, options?: Fields];
    result: { text: string; diagnostics: readonly Fields[] };
  };
  'spindle.media.addAudioToVideo': { permission: 'media'; args: [input: Fields]; result: unknown };
  'spindle.media.convertAudio': { permission: 'media'; args: [input: Fields]; result: unknown };
  'spindle.media.convertVideo': { permission: 'media'; args: [input: Fields]; result: unknown };
  'spindle.media.createVideoFromImageAndAudio': {
    permission: 'media';
    args: [input: Fields];
    result: unknown;
  };
  'spindle.media.removeAudioFromVideo': {
    permission: 'media';
    args: [input: Fields];
    result: unknown;
  };
  'spindle.media.transcodeVideo': { permission: 'media'; args: [input: Fields]; result: unknown };
  'spindle.memories.chatMemory.get': {
    permission: 'memories';
    args: [chatId: string, options?: Fields];
    result: unknown;
  };
  'spindle.memories.chatMemory.invalidate': {
    permission: 'memories';
    args: [chatId: string, userId?: string];
    result: unknown;
  };
  'spindle.memories.chatMemory.listChunks': {
    permission: 'memories';
    args: [chatId: string, userId?: string];
    result: readonly Fields[];
  };
  'spindle.memories.chatMemory.warm': {
    permission: 'memories';
    args: [chatId: string, options?: Fields];
    result: unknown;
  };
  'spindle.memories.consolidations.latestArc': {
    permission: 'memories';
    args: [chatId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.memories.consolidations.list': {
    permission: 'memories';
    args: [chatId: string, options?: Fields];
    result: readonly Fields[];
  };
  'spindle.memories.consolidations.run': {
    permission: 'memories';
    args: [chatId: string, userId?: string];
    result: unknown;
  };
  'spindle.memories.cortex.getCached': {
    permission: 'memories';
    args: [chatId: string];
    result: Fields | null;
  };
  'spindle.memories.cortex.getCachedLinked': {
    permission: 'memories';
    args: [chatId: string];
    result: Fields | null;
  };
  'spindle.memories.cortex.getConfig': {
    permission: 'memories';
    args: [userId?: string];
    result: unknown;
  };
  'spindle.memories.cortex.invalidateCache': {
    permission: 'memories';
    args: [chatId: string];
    result: unknown;
  };
  'spindle.memories.cortex.invalidateLinkedCache': {
    permission: 'memories';
    args: [chatId: string];
    result: unknown;
  };
  'spindle.memories.cortex.putConfig': {
    permission: 'memories';
    args: [patch: Fields, userId?: string];
    result: unknown;
  };
  'spindle.memories.cortex.query': {
    permission: 'memories';
    args: [query: Fields];
    result: unknown;
  };
  'spindle.memories.cortex.queryLinked': {
    permission: 'memories';
    args: [chatId: string, options?: Fields];
    result: unknown;
  };
  'spindle.memories.entities.addFacts': {
    permission: 'memories';
    args: [entityId: string, facts: string[], userId?: string];
    result: unknown;
  };
  'spindle.memories.entities.findByName': {
    permission: 'memories';
    args: [chatId: string, name: string, userId?: string];
    result: Fields | null;
  };
  'spindle.memories.entities.get': {
    permission: 'memories';
    args: [entityId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.memories.entities.getFacts': {
    permission: 'memories';
    args: [entityId: string, userId?: string];
    result: readonly Fields[];
  };
  'spindle.memories.entities.list': {
    permission: 'memories';
    args: [chatId: string, options?: Fields];
    result: readonly Fields[];
  };
  'spindle.memories.entities.updateEmotionalValence': {
    permission: 'memories';
    args: [entityId: string, valence: Fields, userId?: string];
    result: unknown;
  };
  'spindle.memories.entities.updateStatus': {
    permission: 'memories';
    args: [entityId: string, patch: Fields, userId?: string];
    result: unknown;
  };
  'spindle.memories.entities.upsert': {
    permission: 'memories';
    args: [chatId: string, entity: Fields, options?: Fields];
    result: unknown;
  };
  'spindle.memories.links.attach': {
    permission: 'memories';
    args: [input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.memories.links.list': {
    permission: 'memories';
    args: [chatId: string, userId?: string];
    result: readonly Fields[];
  };
  'spindle.memories.links.remove': {
    permission: 'memories';
    args: [chatId: string, linkId: string, userId?: string];
    result: unknown;
  };
  'spindle.memories.links.toggle': {
    permission: 'memories';
    args: [chatId: string, linkId: string, enabled: boolean, userId?: string];
    result: unknown;
  };
  'spindle.memories.relations.forEntities': {
    permission: 'memories';
    args: [chatId: string, entityIds: string[], options?: Fields];
    result: readonly Fields[];
  };
  'spindle.memories.relations.forEntity': {
    permission: 'memories';
    args: [chatId: string, entityId: string, userId?: string];
    result: readonly Fields[];
  };
  'spindle.memories.relations.list': {
    permission: 'memories';
    args: [chatId: string, userId?: string];
    result: readonly Fields[];
  };
  'spindle.memories.relations.listAll': {
    permission: 'memories';
    args: [chatId: string, userId?: string];
    result: readonly Fields[];
  };
  'spindle.memories.relations.upsert': {
    permission: 'memories';
    args: [chatId: string, relation: Fields, options?: Fields];
    result: unknown;
  };
  'spindle.memories.salience.list': {
    permission: 'memories';
    args: [chatId: string, options?: Fields];
    result: readonly Fields[];
  };
  'spindle.memories.stats.ingestionStatus': {
    permission: 'memories';
    args: [chatId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.memories.stats.ingestionTelemetry': {
    permission: 'memories';
    args: [chatId: string, userId?: string];
    result: unknown;
  };
  'spindle.memories.stats.usage': {
    permission: 'memories';
    args: [chatId: string, userId?: string];
    result: unknown;
  };
  'spindle.memories.vaults.create': {
    permission: 'memories';
    args: [input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.memories.vaults.delete': {
    permission: 'memories';
    args: [vaultId: string, userId?: string];
    result: unknown;
  };
  'spindle.memories.vaults.get': {
    permission: 'memories';
    args: [vaultId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.memories.vaults.getChunks': {
    permission: 'memories';
    args: [vaultId: string, userId?: string];
    result: readonly Fields[];
  };
  'spindle.memories.vaults.list': {
    permission: 'memories';
    args: [userId?: string];
    result: readonly Fields[];
  };
  'spindle.memories.vaults.reindex': {
    permission: 'memories';
    args: [vaultId: string, userId?: string];
    result: unknown;
  };
  'spindle.memories.vaults.rename': {
    permission: 'memories';
    args: [vaultId: string, name: string, userId?: string];
    result: unknown;
  };
  'spindle.modal.close': {
    permission: 'spindle';
    args: [openRequestId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.modal.confirm': {
    permission: 'spindle';
    args: [options: Fields];
    result: { confirmed: boolean };
  };
  'spindle.modal.open': {
    permission: 'spindle';
    args: [options: Fields];
    result: { dismissedBy: string };
  };
  'spindle.oauth.createState': { permission: 'oauth'; args: []; result: string };
  'spindle.personas.create': {
    permission: 'personas';
    args: [input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.personas.delete': {
    permission: 'personas';
    args: [personaId: string, userId?: string];
    result: unknown;
  };
  'spindle.personas.get': {
    permission: 'personas';
    args: [personaId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.personas.getActive': {
    permission: 'personas';
    args: [userId?: string];
    result: Fields | null;
  };
  'spindle.personas.getDefault': {
    permission: 'personas';
    args: [userId?: string];
    result: Fields | null;
  };
  'spindle.personas.getWorldBook': {
    permission: 'personas';
    args: [personaId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.personas.list': { permission: 'personas'; args: [options?: Fields]; result: Page };
  'spindle.personas.switchActive': {
    permission: 'personas';
    args: [personaId: Fields, userId?: string];
    result: unknown;
  };
  'spindle.personas.update': {
    permission: 'personas';
    args: [personaId: string, input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.presets.blocks.create': {
    permission: 'presets';
    args: [presetId: string, input: Fields, options?: Fields];
    result: unknown;
  };
  'spindle.presets.blocks.delete': {
    permission: 'presets';
    args: [presetId: string, blockId: string, userId?: string];
    result: unknown;
  };
  'spindle.presets.blocks.get': {
    permission: 'presets';
    args: [presetId: string, blockId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.presets.blocks.list': {
    permission: 'presets';
    args: [presetId: string, userId?: string];
    result: readonly Fields[];
  };
  'spindle.presets.blocks.update': {
    permission: 'presets';
    args: [presetId: string, blockId: string, input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.presets.categories.list': {
    permission: 'presets';
    args: [presetId: string, userId?: string];
    result: readonly Fields[];
  };
  'spindle.presets.create': {
    permission: 'presets';
    args: [input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.presets.delete': {
    permission: 'presets';
    args: [presetId: string, userId?: string];
    result: unknown;
  };
  'spindle.presets.get': {
    permission: 'presets';
    args: [presetId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.presets.list': { permission: 'presets'; args: [options?: Fields]; result: Page };
  'spindle.presets.update': {
    permission: 'presets';
    args: [presetId: string, input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.prompt.input': {
    permission: 'spindle';
    args: [options: Fields];
    result: { value: string | null; cancelled: boolean };
  };
  'spindle.promptRegex.setOwnedChats': {
    permission: 'spindle';
    args: [chatIds: string[]];
    result: void;
  };
  'spindle.push.getStatus': {
    permission: 'push_notification';
    args: [userId?: string];
    result: unknown;
  };
  'spindle.push.send': {
    permission: 'push_notification';
    args: [input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.regex_scripts.create': {
    permission: 'regex_scripts';
    args: [input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.regex_scripts.delete': {
    permission: 'regex_scripts';
    args: [scriptId: string, userId?: string];
    result: unknown;
  };
  'spindle.regex_scripts.get': {
    permission: 'regex_scripts';
    args: [scriptId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.regex_scripts.getActive': {
    permission: 'regex_scripts';
    args: [options: Fields];
    result: readonly Fields[];
  };
  'spindle.regex_scripts.list': {
    permission: 'regex_scripts';
    args: [options?: Fields];
    result: Page;
  };
  'spindle.regex_scripts.update': {
    permission: 'regex_scripts';
    args: [scriptId: string, input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.sendToFrontend': {
    permission: 'spindle';
    args: [payload: any, userId?: string];
    result: void;
  };
  'spindle.textEditor.close': { permission: 'spindle'; args: []; result: null };
  'spindle.textEditor.open': { permission: 'spindle'; args: [options?: Fields]; result: unknown };
  'spindle.theme.apply': {
    permission: 'app_manipulation';
    args: [overrides: Fields, userId?: string];
    result: unknown;
  };
  'spindle.theme.applyPalette': {
    permission: 'app_manipulation';
    args: [palette: any, userId?: string];
    result: unknown;
  };
  'spindle.theme.clear': {
    permission: 'app_manipulation';
    args: [userId?: string];
    result: unknown;
  };
  'spindle.theme.deriveOverlay': {
    permission: 'app_manipulation';
    args: [palette: Fields];
    result: unknown;
  };
  'spindle.theme.extractColors': {
    permission: 'app_manipulation';
    args: [imageId: string, userId?: string];
    result: unknown;
  };
  'spindle.theme.generateVariables': {
    permission: 'app_manipulation';
    args: [config: Fields];
    result: unknown;
  };
  'spindle.theme.getCurrent': {
    permission: 'app_manipulation';
    args: [userId?: string];
    result: Fields | null;
  };
  'spindle.toast.error': {
    permission: 'spindle';
    args: [message: string, options?: Fields];
    result: void;
  };
  'spindle.toast.info': {
    permission: 'spindle';
    args: [message: string, options?: Fields];
    result: void;
  };
  'spindle.toast.success': {
    permission: 'spindle';
    args: [message: string, options?: Fields];
    result: void;
  };
  'spindle.toast.warning': {
    permission: 'spindle';
    args: [message: string, options?: Fields];
    result: void;
  };
  'spindle.tokens.countChat': {
    permission: 'spindle';
    args: [chatId: string, options?: Fields];
    result: TokenCount;
  };
  'spindle.tokens.countMessages': {
    permission: 'spindle';
    args: [messages: Fields[], options?: Fields];
    result: TokenCount;
  };
  'spindle.tokens.countText': {
    permission: 'spindle';
    args: [text: string, options?: Fields];
    result: TokenCount;
  };
  'spindle.tokens.countTextBatch': {
    permission: 'spindle';
    args: [texts: string[], options?: Fields];
    result: readonly TokenCount[];
  };
  'spindle.ui.closeCommandPalette': {
    permission: 'spindle';
    args: [options?: Fields];
    result: Fields | null;
  };
  'spindle.ui.closeDrawer': {
    permission: 'spindle';
    args: [options?: Fields];
    result: Fields | null;
  };
  'spindle.ui.closeSettings': {
    permission: 'spindle';
    args: [options?: Fields];
    result: Fields | null;
  };
  'spindle.ui.getDrawerTabs': {
    permission: 'spindle';
    args: [options?: Fields];
    result: readonly Fields[];
  };
  'spindle.ui.getSettingsTabs': {
    permission: 'spindle';
    args: [options?: Fields];
    result: readonly Fields[];
  };
  'spindle.ui.openCommandPalette': {
    permission: 'spindle';
    args: [options?: Fields];
    result: Fields | null;
  };
  'spindle.ui.openDrawerTab': {
    permission: 'spindle';
    args: [tabId: string, options?: Fields];
    result: Fields | null;
  };
  'spindle.ui.openSettings': {
    permission: 'spindle';
    args: [viewId?: string, options?: Fields];
    result: Fields | null;
  };
  'spindle.uploads.delete': {
    permission: 'spindle';
    args: [uploadId: string, userId?: string];
    result: boolean;
  };
  'spindle.uploads.get': {
    permission: 'spindle';
    args: [uploadId: string, userId?: string];
    result: { fileName: string; size: number; data: Uint8Array } | null;
  };
  'spindle.uploads.readChunk': {
    permission: 'spindle';
    args: [uploadId: string, offset: number, length: number];
    result: Uint8Array | null;
  };
  'spindle.users.getRole': {
    permission: 'spindle';
    args: [userId?: string];
    result: 'operator' | 'admin' | 'user';
  };
  'spindle.users.isVisible': { permission: 'spindle'; args: [userId?: string]; result: boolean };
  'spindle.variables.chat.delete': {
    permission: 'spindle';
    args: [chatId: string, key: string];
    result: void;
  };
  'spindle.variables.chat.get': {
    permission: 'spindle';
    args: [chatId: string, key: string];
    result: string;
  };
  'spindle.variables.chat.has': {
    permission: 'spindle';
    args: [chatId: string, key: string];
    result: boolean;
  };
  'spindle.variables.chat.list': {
    permission: 'spindle';
    args: [chatId: string];
    result: Readonly<Record<string, string>>;
  };
  'spindle.variables.chat.set': {
    permission: 'spindle';
    args: [chatId: string, key: string, value: string];
    result: void;
  };
  'spindle.variables.global.delete': {
    permission: 'spindle';
    args: [key: string, userId?: string];
    result: void;
  };
  'spindle.variables.global.get': {
    permission: 'spindle';
    args: [key: string, userId?: string];
    result: string;
  };
  'spindle.variables.global.has': {
    permission: 'spindle';
    args: [key: string, userId?: string];
    result: boolean;
  };
  'spindle.variables.global.list': {
    permission: 'spindle';
    args: [userId?: string];
    result: Readonly<Record<string, string>>;
  };
  'spindle.variables.global.set': {
    permission: 'spindle';
    args: [key: string, value: string, userId?: string];
    result: void;
  };
  'spindle.variables.local.delete': {
    permission: 'spindle';
    args: [chatId: string, key: string];
    result: void;
  };
  'spindle.variables.local.get': {
    permission: 'spindle';
    args: [chatId: string, key: string];
    result: string;
  };
  'spindle.variables.local.has': {
    permission: 'spindle';
    args: [chatId: string, key: string];
    result: boolean;
  };
  'spindle.variables.local.list': {
    permission: 'spindle';
    args: [chatId: string];
    result: Readonly<Record<string, string>>;
  };
  'spindle.variables.local.set': {
    permission: 'spindle';
    args: [chatId: string, key: string, value: string];
    result: void;
  };
  'spindle.version.getBackend': { permission: 'spindle'; args: []; result: string };
  'spindle.version.getFrontend': { permission: 'spindle'; args: []; result: string };
  'spindle.webSearch.getSettings': {
    permission: 'web_search';
    args: [userId?: string];
    result: unknown;
  };
  'spindle.webSearch.query': { permission: 'web_search'; args: [input: Fields]; result: unknown };
  'spindle.world_books.activateGlobal': {
    permission: 'world_books';
    args: [worldBookId: string, userId?: string];
    result: unknown;
  };
  'spindle.world_books.create': {
    permission: 'world_books';
    args: [input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.world_books.deactivateGlobal': {
    permission: 'world_books';
    args: [worldBookId: string, userId?: string];
    result: unknown;
  };
  'spindle.world_books.delete': {
    permission: 'world_books';
    args: [worldBookId: string, userId?: string];
    result: unknown;
  };
  'spindle.world_books.entries.create': {
    permission: 'world_books';
    args: [worldBookId: string, input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.world_books.entries.delete': {
    permission: 'world_books';
    args: [entryId: string, userId?: string];
    result: unknown;
  };
  'spindle.world_books.entries.get': {
    permission: 'world_books';
    args: [entryId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.world_books.entries.list': {
    permission: 'world_books';
    args: [worldBookId: string, options?: Fields];
    result: Page;
  };
  'spindle.world_books.entries.setExtension': {
    permission: 'world_books';
    args: [entryId: string, value: unknown];
    result: unknown;
  };
  'spindle.world_books.entries.update': {
    permission: 'world_books';
    args: [entryId: string, input: Fields, userId?: string];
    result: unknown;
  };
  'spindle.world_books.get': {
    permission: 'world_books';
    args: [worldBookId: string, userId?: string];
    result: Fields | null;
  };
  'spindle.world_books.getActivated': {
    permission: 'world_books';
    args: [chatId: string, userId?: string];
    result: readonly Fields[];
  };
  'spindle.world_books.getGlobal': {
    permission: 'world_books';
    args: [userId?: string];
    result: readonly Fields[];
  };
  'spindle.world_books.list': { permission: 'world_books'; args: [options?: Fields]; result: Page };
  'spindle.world_books.setGlobal': {
    permission: 'world_books';
    args: [worldBookIds: string[], userId?: string];
    result: unknown;
  };
  'spindle.world_books.update': {
    permission: 'world_books';
    args: [worldBookId: string, input: Fields, userId?: string];
    result: unknown;
  };
}

export {};

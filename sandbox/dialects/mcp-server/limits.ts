/** Caps on what a server writes. They bound the guest's own work; the host has its own. */
export const MCP_LIMITS = {
  /** Characters of one message. The host's limit on a guest's answer is the same. */
  maxLineCharacters: 8_388_608,
  /** Tools, prompts or resources of one list. */
  maxItems: 1_000,
  /** Pages of one list. Stops a server whose list has no end. */
  maxPages: 50,
  /** Characters of the instructions. The host cuts them shorter. */
  maxDescription: 32_768,
  /** Characters of a server's message in an error. */
  maxErrorText: 2_000,
  /** Open requests of the server to its client. */
  maxAsked: 16,
  /** Characters of the data of one log message, as JSON. */
  maxLogData: 65_536,
  /** Lines of stderr that are in the error of a server that ended. */
  lastLines: 5,
} as const;

/** The binary of that version of Node, fetched from npm where it is not here yet. */
export function fetchNode(version: string): string;
/** Where that binary is, if it was fetched before. */
export function nodeBinary(version: string): string;

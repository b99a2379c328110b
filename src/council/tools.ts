import type { Catalog, CatalogTool } from '../catalog/catalog.js';

/** A tool that is a prompt of the host's, for the sidecar model: built in, or from a pack. */
export interface PromptTool {
  readonly name: string;
  readonly source: 'builtin' | 'dlc';
  readonly displayName: string;
  readonly description: string;
  readonly prompt: string;
}

/** A tool that may be assigned to a member. */
export type CouncilTool = (
  | { readonly kind: 'prompt'; readonly tool: PromptTool }
  | { readonly kind: 'plugin'; readonly tool: CatalogTool }
) & {
  /** As members are assigned it: `extension:tool`, or the bare name of a prompt. */
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
};

/** The tools of one council as they are now. */
export interface CouncilTools {
  /** What the council's panel lists: prompts, and what extensions marked as eligible. */
  eligible(): readonly CouncilTool[];
  /**
   * By any spelling. Of several with one name a prompt that is built in comes first, then one from a
   * pack, then an extension's tool, and a server's last.
   */
  find(name: string): CouncilTool | undefined;
  /** Tools of extensions that every generation may call inline, assigned or not. */
  inline(): readonly CatalogTool[];
}

export function makeCouncilTools(
  catalog: Pick<Catalog, 'list' | 'find'>,
  prompts: readonly PromptTool[],
): CouncilTools {
  const ranked = [...prompts].toSorted((a, b) => RANK[a.source] - RANK[b.source]);
  return {
    eligible: () => {
      const own = ranked.map(fromPrompt);
      const taken = new Set(own.map(({ name }) => name));
      const others = catalog
        .list()
        .filter(({ council }) => council?.eligible === true)
        .map(fromPlugin)
        .filter(({ name }) => !taken.has(name));
      return [...own, ...others];
    },
    find: (name) => {
      const prompt = ranked.find((one) => one.name === name);
      if (prompt !== undefined) return fromPrompt(prompt);
      const tool = catalog.find(name);
      // A tool that its extension keeps from councils is in none, whoever was assigned it.
      return tool === undefined || tool.council?.eligible === false ? undefined : fromPlugin(tool);
    },
    inline: () => catalog.list().filter(({ council }) => council?.inline === true),
  };
}

const RANK = { builtin: 0, dlc: 1 } as const;

function fromPrompt(tool: PromptTool): CouncilTool {
  const { name, displayName, description } = tool;
  return { kind: 'prompt', tool, name, displayName, description };
}

function fromPlugin(tool: CatalogTool): CouncilTool {
  const { id, title, description } = tool;
  return { kind: 'plugin', tool, name: id, displayName: title, description };
}

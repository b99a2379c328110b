import type { PluginReport } from '../report.js';
import { type Markup, html, shorten } from './markup.js';
import { type Inside, type Reach, type Uncovered, describeReach, icon, reachOf } from './reach.js';

/**
 * A plugin, its wall, and the outside: one door for every permission, closed for denied attempts.
 *
 * ```
 *   ┌ inside ────────┐   ║
 *   │  tool ─────────┼───╫───  host that it uses
 *   │  tool ──────┘  │   ╫ ┄ ┄ file that it never reads
 *   └────────────────┘───✕     denied attempt
 * ```
 */
export function accessDiagram(plugin: PluginReport, id: string): Markup {
  const reach = reachOf(plugin);
  const confined = plugin.confinement === 'compartment';
  const words = describeReach(reach, confined);
  return html`<figure class="reach">
    ${widePicture(reach, confined, `${id}-w`, words)}
    ${narrowAccessDiagram(reach, confined, `${id}-n`, words)}
    <figcaption>
      <span>Solid: used. Dashed: granted, and not observed in use. Red with a cross: denied.</span>
      <span>A thicker line means more uses.</span>
    </figcaption>
  </figure>`;
}

const WIDTH = 1000;
const ROW = 50;
const CHIP = 38;
const TOP = 34;
const TOOLS = { x: 14, width: 290 };
const WALL = { x: 486, width: 16 };
/** The right edge of the box around the tools, in which denied requests begin. */
const HULL_RIGHT = TOOLS.x + TOOLS.width + 13.75;
const BEYOND = { x: 590, width: 410 };

function widePicture(reach: Reach, confined: boolean, id: string, words: string): Markup {
  const rows = Math.max(reach.inside.length, reach.beyond.length, 1);
  const height = TOP + rows * ROW + 12;
  const first = (count: number): number => TOP + ((rows - count) * ROW) / 2;
  const insideY = (index: number): number => first(reach.inside.length) + index * ROW + CHIP / 2;
  const beyondY = (index: number): number => first(reach.beyond.length) + index * ROW + CHIP / 2;
  return html`<svg class="wide" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="${id}">
    <title id="${id}">${words}</title>
    <rect
      class="hull"
      x="0.75"
      y="24"
      width="${TOOLS.x + TOOLS.width + 13}"
      height="${height - 26}"
      rx="14"
    />
    <text class="label" x="2" y="14">
      ${confined ? 'INSIDE ITS COMPARTMENT' : 'WITHOUT A COMPARTMENT'}
    </text>
    <text class="label" x="${WALL.x + WALL.width / 2}" y="14" text-anchor="middle">
      ${confined ? 'WALL' : 'NO WALL'}
    </text>
    <text class="label" x="${BEYOND.x}" y="14">OUTSIDE</text>
    ${confined && wall(height)}
    ${reach.inside.map((tool, index) => flowsOf(tool, insideY(index), beyondY))}
    ${reach.beyond.map((one, index) => doorAndChip(one, beyondY(index)))}
    ${reach.inside.map((tool, index) => toolChip(tool, insideY(index)))}
  </svg>`;
}

function wall(height: number): Markup {
  const rivets = Array.from(
    { length: Math.floor((height - 48) / 24) },
    (_, index) => 40 + index * 24,
  );
  return html`<rect
      class="wall"
      x="${WALL.x}"
      y="24"
      width="${WALL.width}"
      height="${height - 26}"
      rx="4"
    />
    ${rivets.map((y) => html`<circle class="rivet" cx="${WALL.x + WALL.width / 2}" cy="${y}" r="1.6" />`)}`;
}

function flowsOf({ to }: Inside, y: number, beyondY: (index: number) => number): Markup[] {
  const from = TOOLS.x + TOOLS.width;
  const gate = WALL.x - 6;
  const middle = (from + gate) / 2;
  return to.map(({ index, count }) => {
    const end = beyondY(index);
    return html`<path
      class="flow"
      stroke-width="${thickness(count)}"
      d="M${from} ${y}C${middle} ${y} ${middle} ${end} ${gate} ${end}"
    />`;
  });
}

function doorAndChip(one: Uncovered, y: number): Markup {
  const { kind, text, note, state, count } = one;
  const out = WALL.x + WALL.width + 6;
  const shut = state === 'refused';
  const width = state === 'used' ? thickness(count) : 1.75;
  return html`<g>
    ${
      shut
        ? html`<path
            class="flow refused"
            stroke-width="1.75"
            d="M${HULL_RIGHT} ${y}H${WALL.x - 8}"
          />`
        : html`<path
            class="flow ${state === 'idle' ? 'idle' : ''}"
            stroke-width="${width}"
            d="M${out} ${y}H${BEYOND.x}"
          />`
    }
    <rect
      class="door ${shut ? 'shut' : state === 'idle' ? 'idle' : ''}"
      x="${WALL.x - 5}"
      y="${y - 12}"
      width="${WALL.width + 10}"
      height="24"
      rx="5"
    />
    ${shut && html`<path class="cross" d="M${WALL.x + 3} ${y - 5}l10 10m0-10l-10 10" />`}
    <rect
      class="chip ${CHIPS[state]}"
      x="${BEYOND.x}"
      y="${y - CHIP / 2}"
      width="${BEYOND.width - 1}"
      height="${CHIP}"
      rx="10"
    />
    ${icon(kind, BEYOND.x + 12, y - 9, state)}
    <text class="name mono" x="${BEYOND.x + 42}" y="${y + 4.5}">${shorten(text, 31)}</text>
    <text
      class="small ${shut ? 'bad strong' : ''}"
      x="${BEYOND.x + BEYOND.width - 14}"
      y="${y + 4}"
      text-anchor="end"
      >${note}</text
    >
  </g>`;
}

function toolChip({ name, note }: Inside, y: number): Markup {
  return html`<g>
    <rect
      class="chip tool"
      x="${TOOLS.x}"
      y="${y - CHIP / 2}"
      width="${TOOLS.width}"
      height="${CHIP}"
      rx="10"
    />
    <text class="name mono strong" x="${TOOLS.x + 14}" y="${y + 4.5}">${shorten(name, 17)}</text>
    <text class="small" x="${TOOLS.x + TOOLS.width - 12}" y="${y + 4}" text-anchor="end"
      >${note}</text
    >
  </g>`;
}

const CHIPS: Readonly<Record<Uncovered['state'], string>> = {
  used: 'used',
  idle: 'unused',
  refused: 'refused',
};

/** The width of a line, by its number of uses. */
function thickness(count: number): number {
  return Math.round(Math.min(6.5, 1.75 + Math.log2(count + 1) * 0.55) * 100) / 100;
}

const NARROW_WIDTH = 340;
const NARROW_ROW = 52;
const NARROW_CHIP = 44;
const DOOR_X = 14;
const CHIP_X = 52;

/** The same picture for narrow screens: the wall separates above and below. */
export function narrowAccessDiagram(
  reach: Reach,
  confined: boolean,
  id: string,
  words: string,
): Markup {
  const wallY = 26 + Math.max(1, reach.inside.length) * NARROW_ROW;
  const beyondY = (index: number): number => wallY + 52 + index * NARROW_ROW + NARROW_CHIP / 2;
  const height = beyondY(Math.max(0, reach.beyond.length - 1)) + NARROW_CHIP / 2 + 8;
  const last = reach.beyond.length - 1;
  return html`<svg
    class="narrow"
    viewBox="0 0 ${NARROW_WIDTH} ${height}"
    role="img"
    aria-labelledby="${id}"
  >
    <title id="${id}">${words}</title>
    <text class="label" x="2" y="12">
      ${confined ? 'INSIDE ITS COMPARTMENT' : 'WITHOUT A COMPARTMENT'}
    </text>
    ${reach.inside.map((tool, index) => toolRow(tool, 22 + index * NARROW_ROW))}
    ${confined && html`<rect class="wall" x="0" y="${wallY + 4}" width="${NARROW_WIDTH}" height="14" rx="4" />`}
    <text class="label" x="2" y="${wallY + 38}">OUTSIDE</text>
    ${last >= 0 && html`<path class="flow idle" stroke-width="1.5" d="M${DOOR_X} ${wallY + 44}V${beyondY(last)}" />`}
    ${reach.beyond.map((one, index) => beyondRow(one, beyondY(index)))}
  </svg>`;
}

function toolRow({ name, note }: Inside, y: number): Markup {
  return html`<g>
    <rect
      class="chip tool"
      x="0.75"
      y="${y}"
      width="${NARROW_WIDTH - 2}"
      height="${NARROW_CHIP}"
      rx="10"
    />
    <text class="name mono strong" x="13" y="${y + 19}">${shorten(name, 34)}</text>
    <text class="small" x="13" y="${y + 36}">${note}</text>
  </g>`;
}

function beyondRow({ kind, text, note, state }: Uncovered, y: number): Markup {
  const shut = state === 'refused';
  const chip = state === 'idle' ? 'unused' : state;
  return html`<g>
    ${!shut && html`<path class="flow ${state === 'idle' ? 'idle' : ''}" stroke-width="2" d="M${DOOR_X + 11} ${y}H${CHIP_X}" />`}
    <rect
      class="door ${shut ? 'shut' : state === 'idle' ? 'idle' : ''}"
      x="${DOOR_X - 11}"
      y="${y - 11}"
      width="22"
      height="22"
      rx="5"
    />
    ${shut && html`<path class="cross" d="M${DOOR_X - 5} ${y - 5}l10 10m0-10l-10 10" />`}
    <rect
      class="chip ${chip}"
      x="${CHIP_X}"
      y="${y - NARROW_CHIP / 2}"
      width="${NARROW_WIDTH - CHIP_X - 1}"
      height="${NARROW_CHIP}"
      rx="10"
    />
    ${icon(kind, CHIP_X + 10, y - 9, state)}
    <text class="name mono" x="${CHIP_X + 37}" y="${y - 3}">${shorten(text, 28)}</text>
    <text class="small ${shut ? 'bad strong' : ''}" x="${CHIP_X + 37}" y="${y + 14}">${note}</text>
  </g>`;
}

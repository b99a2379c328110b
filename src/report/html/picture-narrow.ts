import { glyph } from './glyphs.js';
import { html, type Markup, shorten } from './markup.js';
import type { Beyond, Inside, Reach } from './reach.js';

const WIDTH = 340;
const ROW = 52;
const CHIP = 44;
const DOOR_X = 14;
const CHIP_X = 52;

/** The same picture for a telephone: the wall lies between above and below. */
export function narrowPicture(reach: Reach, confined: boolean, id: string, words: string): Markup {
  const wallY = 26 + Math.max(1, reach.inside.length) * ROW;
  const beyondY = (index: number): number => wallY + 52 + index * ROW + CHIP / 2;
  const height = beyondY(Math.max(0, reach.beyond.length - 1)) + CHIP / 2 + 8;
  const last = reach.beyond.length - 1;
  return html`<svg
    class="narrow"
    viewBox="0 0 ${WIDTH} ${height}"
    role="img"
    aria-labelledby="${id}"
  >
    <title id="${id}">${words}</title>
    <text class="label" x="2" y="12">
      ${confined ? 'INSIDE ITS COMPARTMENT' : 'WITHOUT A COMPARTMENT'}
    </text>
    ${reach.inside.map((tool, index) => toolRow(tool, 22 + index * ROW))}
    ${confined && html`<rect class="wall" x="0" y="${wallY + 4}" width="${WIDTH}" height="14" rx="4" />`}
    <text class="label" x="2" y="${wallY + 38}">OUTSIDE</text>
    ${last >= 0 && html`<path class="flow idle" stroke-width="1.5" d="M${DOOR_X} ${wallY + 44}V${beyondY(last)}" />`}
    ${reach.beyond.map((one, index) => beyondRow(one, beyondY(index)))}
  </svg>`;
}

function toolRow({ name, note }: Inside, y: number): Markup {
  return html`<g>
    <rect class="chip tool" x="0.75" y="${y}" width="${WIDTH - 2}" height="${CHIP}" rx="10" />
    <text class="name mono strong" x="13" y="${y + 19}">${shorten(name, 34)}</text>
    <text class="small" x="13" y="${y + 36}">${note}</text>
  </g>`;
}

function beyondRow({ kind, text, note, state }: Beyond, y: number): Markup {
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
      y="${y - CHIP / 2}"
      width="${WIDTH - CHIP_X - 1}"
      height="${CHIP}"
      rx="10"
    />
    ${glyph(kind, CHIP_X + 10, y - 9, state)}
    <text class="name mono" x="${CHIP_X + 37}" y="${y - 3}">${shorten(text, 28)}</text>
    <text class="small ${shut ? 'bad strong' : ''}" x="${CHIP_X + 37}" y="${y + 14}">${note}</text>
  </g>`;
}

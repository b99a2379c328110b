/** The style of the report. Every pair of text and background colours has a contrast of at least 4.5. */
export const STYLE: string = `
:root{color-scheme:light dark;--paper:#f4f2ec;--card:#fffefb;--ink:#1d2733;--soft:#566373;--line:#dcd7ca;--wash:#f0ede4;
--sea:#0b5f6b;--sea-soft:#d8ebec;--good:#2b6433;--warn:#8a4f00;--warn-soft:#fbeed6;--bad:#a92222;--bad-soft:#fbe3e0;--steel:#6d7b8a;--plate:#2f3b48}
@media (prefers-color-scheme:dark){:root{--paper:#0e1319;--card:#171f28;--ink:#e7edf3;--soft:#a3b1c0;--line:#2c3743;--wash:#1d2731;
--sea:#6fd0cf;--sea-soft:#163a41;--good:#86d18c;--warn:#f2bd69;--warn-soft:#3a2d14;--bad:#ff9b90;--bad-soft:#41201f;--steel:#8493a3;--plate:#6d7d8e}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 ui-sans-serif,system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
a{color:var(--sea);text-underline-offset:.15em}
a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--sea);outline-offset:2px;border-radius:4px}
code,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.875em}
.skip{position:absolute;left:-999px;top:0;background:var(--card);padding:.75rem 1rem;z-index:1}
.skip:focus{left:0}
.page{max-width:1120px;margin:0 auto;padding:0 1.25rem 4rem}
header.top{padding:1.9rem 0 .5rem}
.eyebrow{margin:0;color:var(--sea);font-weight:650;letter-spacing:.09em;text-transform:uppercase;font-size:.78rem}
h1{font-size:clamp(1.9rem,4.5vw,2.9rem);line-height:1.1;letter-spacing:-.025em;margin:.35rem 0 .6rem;font-weight:720}
h2,p,li,.pill{overflow-wrap:anywhere}
h2{font-size:1.35rem;letter-spacing:-.012em;line-height:1.25;margin:0}
h3{font-size:1rem;margin:2rem 0 .65rem;letter-spacing:-.003em}
.lead{font-size:1.125rem;color:var(--soft);max-width:62ch;margin:0}
.lead strong{color:var(--ink)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:.75rem;margin:1.25rem 0 0;padding:0}
.tile{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:.95rem 1.1rem}
.tile dt{color:var(--soft);font-size:.84rem}
.tile dd{margin:.1rem 0 0;font-size:1.75rem;font-weight:680;letter-spacing:-.025em;font-variant-numeric:tabular-nums;line-height:1.2}
.tile:last-child:nth-child(odd){grid-column:auto}.tile.bad dd{color:var(--bad)}.tile.warn dd{color:var(--warn)}
.log{margin:1rem 0 0;color:var(--soft);font-size:.92rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:18px;padding:1.6rem 1.75rem;margin:1.5rem 0 0;box-shadow:0 1px 2px rgb(0 0 0/.04)}
.card>header{display:flex;flex-wrap:wrap;gap:.4rem 1rem;align-items:baseline;justify-content:space-between}
.meta{color:var(--soft);font-size:.9rem;margin:.2rem 0 0;overflow-wrap:anywhere}
.pill{display:inline-block;border-radius:999px;padding:.12rem .68rem;font-size:.8rem;font-weight:620;background:var(--wash);color:var(--ink);margin:.1rem 0}
.pill.bad{background:var(--bad-soft);color:var(--bad)}.pill.warn{background:var(--warn-soft);color:var(--warn)}.pill.good{background:var(--sea-soft);color:var(--sea)}
table{border-collapse:collapse;width:100%;font-size:.92rem;font-variant-numeric:tabular-nums}
.legend{margin:0 0 .35rem;color:var(--soft);font-size:.86rem}.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
th,td{text-align:left;vertical-align:top;padding:.5rem .85rem .5rem 0;border-bottom:1px solid var(--line)}
thead th{font-size:.78rem;color:var(--soft);font-weight:620;white-space:nowrap}
tbody th{font-weight:600}
tbody tr:last-child>*{border-bottom:0}
td.num,th.num{text-align:right}td.when{white-space:nowrap}
.wrap{overflow-wrap:anywhere;min-width:9rem}
.muted{color:var(--soft)}.is-bad{color:var(--bad);font-weight:600}.is-warn{color:var(--warn);font-weight:600}.is-good{color:var(--good)}
.findings{list-style:none;margin:1rem 0 0;padding:0;display:grid;gap:.65rem}
.finding{border:1px solid var(--line);border-left:5px solid var(--steel);border-radius:10px;padding:.8rem 1rem;background:var(--card)}
.finding.error{border-left-color:var(--bad)}.finding.warning{border-left-color:var(--warn)}
.finding.excepted{opacity:1;background:var(--wash);border-left-style:dashed}
.finding p{margin:.3rem 0 0;overflow-wrap:anywhere}.finding .fix{color:var(--soft)}
.finding .head{display:flex;flex-wrap:wrap;gap:.4rem .7rem;align-items:center;margin:0}
.changes{margin:1rem 0 0;padding:.75rem 1rem .75rem 2rem;background:var(--sea-soft);border-radius:10px}
figure{margin:1.25rem 0 0}
figcaption{color:var(--soft);font-size:.86rem;margin:.55rem 0 0;display:flex;flex-wrap:wrap;gap:.25rem 1.1rem}
svg{display:block;width:100%;height:auto;max-width:100%}
svg.defs{position:absolute;width:0;height:0}
svg text{font-family:ui-sans-serif,system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:var(--ink)}
svg .mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
.narrow{display:none}
.chip{fill:var(--card);stroke:var(--line);stroke-width:1.25}
.chip.used{stroke:var(--sea)}.chip.unused{stroke-dasharray:4 4;stroke:var(--steel)}.chip.refused{stroke:var(--bad);fill:var(--bad-soft)}
.chip.tool{fill:var(--wash);stroke:var(--line)}
.hull{fill:none;stroke:var(--line);stroke-width:1.25}
.wall{fill:var(--plate)}.rivet{fill:var(--card);opacity:.55}
.door{fill:var(--card);stroke:var(--sea);stroke-width:1.75}.door.idle{stroke:var(--steel);stroke-dasharray:3 3}.door.shut{fill:var(--bad);stroke:var(--bad)}
.flow{fill:none;stroke:var(--sea);stroke-linecap:round;opacity:.72}.flow.idle{stroke:var(--steel);stroke-dasharray:2 5;opacity:.8}.flow.refused{stroke:var(--bad);stroke-dasharray:5 4;opacity:.9}
.cross{stroke:var(--card);stroke-width:2;stroke-linecap:round}
.glyph{fill:none;stroke:var(--sea);stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}.glyph.idle{stroke:var(--steel)}.glyph.refused{stroke:var(--bad)}
svg .small{font-size:12px;fill:var(--soft)}svg .label{font-size:11px;letter-spacing:.08em;fill:var(--soft);font-weight:600}svg .name{font-size:13.5px}svg .bad{fill:var(--bad)}svg .strong{font-weight:650}
.bar{fill:var(--sea)}.bar.failed{fill:url(#stripes)}.grid{stroke:var(--line);stroke-width:1}.mark{fill:var(--bad)}.stripe{stroke:var(--bad);stroke-width:3}.ground{fill:var(--bad-soft)}
.key{display:inline-flex;align-items:center;gap:.4rem}.key svg{width:16px;height:12px;flex:none}
.cause{margin:1.1rem 0 0;padding:0 0 0 .9rem;border-left:4px solid var(--steel)}.cause.error{border-left-color:var(--bad)}.cause.warning{border-left-color:var(--warn)}
.cause .head{display:flex;flex-wrap:wrap;gap:.25rem .7rem;align-items:baseline;margin:0}.cause-list{margin:.35rem 0 0;padding:0 0 0 1.15rem}.cause-list li{margin:.15rem 0}
.single{font-size:1.05rem;margin:.4rem 0 0}.single strong{font-size:1.5rem;font-weight:680;font-variant-numeric:tabular-nums}
details.card{padding:0}details.card>.body{padding:0 1.75rem 1.6rem}
details.card>summary{display:flex;flex-wrap:wrap;gap:.3rem 1rem;align-items:baseline;padding:.95rem 1.75rem;width:auto;color:var(--ink);list-style-position:inside}
details.card>summary::before{content:"+";color:var(--sea);font-weight:700;width:.9rem}details.card[open]>summary::before{content:"–"}
details.card>summary::-webkit-details-marker{display:none}details.card>summary{list-style:none}details.card>summary .meta{margin:0}
details{margin:.6rem 0 0}details.card{margin:.75rem 0 0}summary{cursor:pointer;color:var(--sea);font-size:.9rem;font-weight:600;padding:.3rem 0;width:fit-content}
footer{color:var(--soft);font-size:.88rem;margin:2.5rem 0 0}
@media (max-width:640px){thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}table,tbody,tr,tbody th,td{display:block;width:100%}
tbody tr{padding:.45rem 0;border-bottom:1px solid var(--line)}tbody th,td,td.num{border:0;padding:.12rem 0;text-align:left;white-space:normal;overflow-wrap:anywhere}
td::before{content:attr(data-title) ": ";color:var(--soft);font-size:.84rem}td:empty{display:none}
details.card>summary{padding:.85rem 1.05rem}details.card>.body{padding:0 1.05rem 1.15rem}.page{padding:0 1rem 3rem}header.top{padding-top:1.75rem}.card{padding:1.15rem 1.05rem;border-radius:14px}.wide{display:none}.narrow{display:block}.tiles{grid-template-columns:1fr 1fr}.tile:last-child:nth-child(odd){grid-column:1/-1}.tile dd{font-size:1.45rem}}
@media print{:root{color-scheme:light;--paper:#fff;--card:#fff;--ink:#111;--soft:#444;--line:#ccc;--wash:#f4f4f4;--sea:#0b5f6b;--sea-soft:#eef5f5;--good:#2b6433;--warn:#7a4600;--warn-soft:#f7f0e2;--bad:#9b1c1c;--bad-soft:#f9ecea;--steel:#666;--plate:#444}
body{font-size:11pt}.page{max-width:none;padding:0}.card{box-shadow:none;break-inside:auto;border-radius:8px}figure,.finding,tr,.tile{break-inside:avoid}h2,h3{break-after:avoid}.skip,.no-print{display:none}details::details-content{content-visibility:visible;block-size:auto;opacity:1}.wide{display:block}.narrow{display:none}}
`.trim();

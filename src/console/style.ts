import { STYLE } from '../report/html/style.js';

/** The style of the console: that of the report, with forms and navigation. Text has a contrast of at least 4.5. */
export const CONSOLE_STYLE: string = `${STYLE}
h1{font-size:clamp(1.5rem,3.4vw,2.1rem);margin:1.2rem 0 .5rem}
.page.small{max-width:640px;padding-top:2rem}
.bar{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;align-items:center;padding:.4rem 1.25rem;background:var(--card);border-bottom:1px solid var(--line)}
.bar .brand{margin:0;font-weight:700}.bar .brand a{color:var(--ink);text-decoration:none}.bar .brand span{color:var(--soft);font-weight:450}
.bar ul{display:flex;flex-wrap:wrap;list-style:none;margin:0;padding:0;gap:.15rem}
.bar nav a{display:flex;align-items:center;gap:.4rem;min-height:44px;padding:0 .8rem;border-radius:9px;color:var(--ink);text-decoration:none;font-weight:560}
.bar nav a:hover{background:var(--wash)}.bar nav a[aria-current]{background:var(--sea-soft);color:var(--sea)}.bar nav a.danger{color:var(--bad)}
.badge{min-width:1.5rem;padding:.05rem .45rem;border-radius:999px;background:var(--bad-soft);color:var(--bad);font-size:.82rem;text-align:center;font-weight:700}
.badge[hidden]{display:none}
.live:empty{display:none}.live{position:fixed;z-index:2;bottom:1rem;left:1rem;margin:0;max-width:calc(100vw - 2rem);padding:.6rem 1rem;border-radius:10px;background:var(--sea);color:var(--card);font-weight:600;pointer-events:none;box-shadow:0 2px 10px rgb(0 0 0/.25)}
.pills{display:inline-flex;flex-wrap:wrap;gap:.4rem}
.notice{margin:.9rem 0 0;padding:.65rem 1rem;border-radius:10px;background:var(--wash);overflow-wrap:anywhere}
.notice.bad{background:var(--bad-soft);color:var(--bad)}.notice.good{background:var(--sea-soft);color:var(--sea)}.notice a{color:inherit}
.theirs{quotes:"“" "”";color:var(--ink);overflow-wrap:anywhere}
.facts{margin:.8rem 0 0;display:grid;gap:.3rem}.facts div{display:flex;flex-wrap:wrap;gap:0 .7rem}.facts dt{color:var(--soft);min-width:9.5rem}.facts dd{margin:0;flex:1 1 16rem;overflow-wrap:anywhere}
.value{margin:0;padding:.8rem 1rem;background:var(--wash);border:1px solid var(--line);border-radius:10px;max-height:26rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.875rem;line-height:1.5}
.value:focus-visible,button:focus-visible,input:focus-visible,.bar a:focus-visible{outline:3px solid var(--sea);outline-offset:2px}
.actions{display:flex;flex-wrap:wrap;gap:.6rem;align-items:center;margin:1rem 0 0}
button{font:inherit;font-weight:620;min-height:44px;padding:.45rem 1.1rem;border-radius:10px;border:1.5px solid var(--sea);background:var(--sea);color:var(--card);cursor:pointer}
button[value=deny],button.second{background:var(--card);color:var(--sea)}button[value=deny],button.stop,button[value=off]{border-color:var(--bad)}
button[value=deny],button[value=off]{background:var(--card);color:var(--bad)}button.stop{background:var(--bad);color:var(--card)}
button.quiet{background:none;border-color:var(--line);color:var(--ink);font-weight:500}
button:disabled{background:var(--wash);border-color:var(--line);color:var(--soft);cursor:not-allowed}
label{display:block;margin:.8rem 0 0;color:var(--soft);font-size:.92rem}
input[type=text],input[type=search],input[type=password]{display:block;font:inherit;width:100%;max-width:34rem;min-height:44px;padding:.4rem .7rem;margin:.25rem 0 0;border:1px solid var(--steel);border-radius:9px;background:var(--card);color:var(--ink)}
input[type=checkbox]{width:24px;height:24px;margin:0;accent-color:var(--sea)}
.pick{display:flex;gap:.6rem;align-items:center;min-height:44px;color:var(--ink);cursor:pointer}
.rules form{border-left:4px solid var(--sea-soft);padding:.2rem 0 .4rem 1rem;margin:1rem 0 0}.rules p,.rules li{overflow-wrap:anywhere}
summary{min-height:44px;display:flex;flex-wrap:wrap;gap:0 .5rem;align-items:center;overflow-wrap:anywhere}summary bdi{min-width:0}summary::before{content:"▸";margin-right:.5rem}details[open]>summary::before{content:"▾"}
.search{display:grid;grid-template-columns:repeat(auto-fit,minmax(180px,1fr));gap:0 1rem;align-items:end}.search label{margin:0}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr));gap:0 2rem}
.permissions{margin:0;padding:0 0 0 1.1rem}.permissions li{margin:.25rem 0;overflow-wrap:anywhere}.permissions .meta{display:block;margin:0}.permissions .withheld{color:var(--soft)}
.spark{height:36px;background:var(--wash);border-radius:6px}.mark-call{fill:var(--sea)}
.tree{list-style:none;margin:0;padding:0}.tree .tree{padding-left:1.2rem;border-left:2px solid var(--line)}
.call{margin:0;padding:.35rem 0;display:flex;flex-wrap:wrap;gap:.2rem .8rem;align-items:baseline;border-bottom:1px solid var(--line)}.call a{overflow-wrap:anywhere;font-weight:600;padding:.3rem 0}.call .meta{margin:0}
.steps{list-style:none;margin:0;padding:0}.steps li{display:grid;grid-template-columns:minmax(6rem,14rem) 9rem 1fr;gap:.1rem 1rem;padding:.4rem 0;border-bottom:1px solid var(--line);align-items:center}
.steps .when{color:var(--soft);font-size:.88rem;font-variant-numeric:tabular-nums}.steps .what{overflow-wrap:anywhere}.indent-1{padding-left:1.2rem}.indent-2{padding-left:2.4rem}.indent-3{padding-left:3.6rem}
.lane{height:12px}.rail{fill:var(--line)}.mark-request{fill:var(--sea)}.mark-denied{fill:var(--bad)}.mark-approval,.mark-secret,.mark-effect{fill:var(--steel)}
.queue:not(:empty)+.empty{display:none}
.question.gone{opacity:1;background:var(--wash)}
@keyframes arm{from{pointer-events:none}to{pointer-events:auto}}
.armed button{animation:arm 1s step-end}
.stopping{border-left:4px solid var(--bad-soft);padding:.2rem 0 .4rem 1rem;margin:1rem 0 0}.stopped{border-bottom:1px solid var(--line)}
select{display:block;font:inherit;width:100%;max-width:34rem;min-height:44px;padding:.4rem .7rem;margin:.25rem 0 0;border:1px solid var(--steel);border-radius:9px;background:var(--card);color:var(--ink)}
.unseen{position:absolute}
@media (max-width:640px){.bar{padding:.3rem 1rem}.bar nav a{padding:0 .6rem}.steps li{grid-template-columns:1fr}.facts dt{min-width:100%}.actions button{flex:1 1 100%}}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
`;

/** A ship's wall with a door. */
export const ICON: string = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5f6b"/><path d="M8 6v20M24 6v20" stroke="#fffefb" stroke-width="3"/><rect x="12" y="11" width="8" height="15" rx="4" fill="#fffefb"/></svg>`;

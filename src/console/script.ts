/**
 * The page works without this script. With it, new questions appear without a reload: only at the end of the
 * queue, so that no row moves under the pointer. Answered rows stay, without their buttons.
 */
export const SCRIPT = `'use strict';
(() => {
  const live = document.getElementById('live');
  const queue = document.getElementById('queue');
  const badge = document.getElementById('pending');
  if (!live || !window.EventSource) return;
  let silence;
  // It covers a part of the page, so it does not stay.
  const say = (text) => {
    live.textContent = text;
    clearTimeout(silence);
    silence = setTimeout(() => { live.textContent = ''; }, 8000);
  };
  const count = (pending) => {
    if (!badge) return;
    badge.hidden = pending === 0;
    badge.firstChild.textContent = String(pending);
  };
  const idsIn = (root) => [...root.querySelectorAll('[data-approval]')];
  let loading = false;
  let again = false;
  let before = badge ? Number(badge.firstChild.textContent) : 0;
  const load = async () => {
    if (loading) { again = true; return; }
    loading = true;
    try {
      const answer = await fetch('/console/', { headers: { accept: 'text/html' }, redirect: 'error' });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const next = page.getElementById('queue');
      const below = page.getElementById('below');
      if (!next || !below) return;
      const now = new Map(idsIn(next).map((row) => [row.dataset.approval, row]));
      const known = new Set(idsIn(queue).map((row) => row.dataset.approval));
      for (const row of idsIn(queue)) {
        if (now.has(row.dataset.approval) || row.classList.contains('gone')) continue;
        row.classList.add('gone');
        for (const part of row.querySelectorAll('button, input')) part.disabled = true;
        const note = document.createElement('p');
        note.className = 'notice';
        note.textContent = 'This question does not wait any more.';
        row.append(note);
      }
      let fresh = 0;
      for (const [id, row] of now) {
        if (known.has(id)) continue;
        queue.append(document.importNode(row, true));
        fresh += 1;
      }
      document.getElementById('below').replaceWith(document.importNode(below, true));
      if (fresh > 0) say(fresh === 1 ? 'A new question waits at the end of the list.' : fresh + ' new questions wait at the end of the list.');
    } finally {
      loading = false;
      if (again) { again = false; void load(); }
    }
  };
  const source = new EventSource('/console/events');
  source.addEventListener('approvals', ({ data }) => {
    const pending = Number(data);
    count(pending);
    if (queue) void load();
    else if (pending > before) say(pending === 1 ? '1 call waits for approval.' : pending + ' calls wait for approval.');
    before = pending;
  });
  addEventListener('pagehide', () => source.close());
})();
`;

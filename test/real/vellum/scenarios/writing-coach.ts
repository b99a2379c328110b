import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: { time: true, random: true, storage: true },
  steps: [
    { loaded: true },
    { tool: 'session_stats' },
    { tool: 'log_session', input: { wordCount: 400, setDailyTarget: 500 } },
    { tool: 'log_session', input: { wordCount: 250, durationMinutes: 20, project: 'novel' } },
    { tool: 'session_stats', input: { days: 3 } },
    {
      tool: 'roast_analyze',
      input: {
        text: 'It was a dark and stormy night. The tower was very old, and suddenly the door opened slowly. She was walking; he was watching. It was, in fact, quite beautiful.',
      },
    },
    { tool: 'roast_analyze', input: { text: '' } },
    {
      tool: 'analyze_query',
      input: {
        text: 'Dear Ms. Reed,\n\nWhen Ada finds a lantern that never goes out, she must choose between the tower and the sea.\n\nTHE LANTERN is an 80,000 word fantasy novel that will appeal to readers of Circe. I have never been published.\n\nThank you for your time,\nSam',
      },
    },
    {
      tool: 'save_draft',
      input: {
        text: 'It was a dark and stormy night. The tower was very old, and suddenly the door opened slowly. She was walking; he was watching. It was, in fact, quite beautiful.',
        genre: 'fantasy',
        difficultyTier: 2,
        tags: ['flash fiction'],
      },
    },
    { tool: 'view_gallery' },
    { tool: 'view_gallery', input: { limit: 1 } },
  ],
};

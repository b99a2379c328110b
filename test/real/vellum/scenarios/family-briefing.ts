import type { VellumScenario } from '../step.js';

const events = [
  { title: 'Soccer', start: '2026-12-01T15:00:00Z', end: '2026-12-01T16:00:00Z', calendar: 'Kids' },
  {
    title: 'Review',
    start: '2026-12-01T15:30:00Z',
    end: '2026-12-01T16:30:00Z',
    calendar: 'Work',
    location: 'Room 4',
  },
  { title: 'Dinner', start: '2026-12-01T19:00:00Z', end: '2026-12-01T20:00:00Z', calendar: 'Home' },
];

export const scenario: VellumScenario = {
  grant: { time: true, random: true, storage: true },
  steps: [
    { loaded: true },
    {
      hook: 'user-prompt-submit',
      context: {
        conversationId: 'c1',
        prompt: 'Hello there.',
        originalMessages: [],
        latestMessages: [{ role: 'user', content: [{ type: 'text', text: 'Hello there.' }] }],
        isNonInteractive: false,
      },
    },
    { tool: 'get_settings' },
    { tool: 'detect_conflicts', input: { events } },
    { tool: 'detect_conflicts', input: { events: [] } },
    {
      tool: 'update_settings',
      input: {
        onboardingComplete: true,
        briefingTime: '06:30',
        deliveryChannel: 'telegram',
        kidNames: ['Mia', 'Leo'],
        schoolAllowlist: ['office@school.test'],
        flagKeywords: ['picture day'],
      },
    },
    { tool: 'get_settings' },
    {
      tool: 'scan_school_email',
      input: {
        subject: 'Permission slip for Mia',
        sender: 'office@school.test',
        date: '2026-12-01',
        body: 'Please return the permission slip by December 5, 2026.',
      },
    },
    {
      tool: 'scan_school_email',
      input: {
        subject: 'Picture day',
        sender: 'x@else.test',
        date: '2026-12-02',
        category: 'spirit_day',
      },
    },
    { tool: 'get_morning_briefing', input: { calendarEvents: events } },
    { tool: 'get_morning_briefing' },
    {
      hook: 'user-prompt-submit',
      context: {
        conversationId: 'c1',
        prompt: 'Hello there.',
        originalMessages: [],
        latestMessages: [{ role: 'user', content: [{ type: 'text', text: 'Hello there.' }] }],
        isNonInteractive: false,
      },
    },
  ],
};

import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: { time: true, random: true, storage: true },
  steps: [
    { tool: 'get_travel_context' },
    { tool: 'update_profile', input: { fields: { homeAirport: 'OSL', hotelBudget: 150 } } },
    {
      tool: 'update_trip',
      input: {
        slug: 'lisbon-2026-09',
        record: {
          destination: 'Lisbon',
          dates: { start: '2026-09-10', end: '2026-09-14' },
          flights: { booked: { outbound: 'TP 759 OSL–LIS', confirmation: 'ABC123' } },
          itinerary: ['Thu Sep 10: Arrive, Alfama walk', 'Fri Sep 11: Sintra'],
        },
      },
    },
    { tool: 'get_travel_context', input: { trip: 'lisbon-2026-09' } },
    { tool: 'get_travel_context' },
    { tool: 'generate_trip_brief', input: { trip: 'lisbon-2026-09' } },
    { tool: 'generate_trip_brief', input: { trip: 'nowhere' } },
  ],
};

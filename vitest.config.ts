import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    // Guests are processes: more files at once than cores only makes every deadline later.
    maxWorkers: 2,
  },
});

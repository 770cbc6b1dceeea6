// The columns of an endpoint that only a test has, beside its method, path and handler. Used by tests of the door and of
// the router with tables of their own.
import { z } from 'zod';

export const TEST_ENDPOINT = {
  auth: 'none',
  throttle: 'general',
  section: 'test',
  summary: 'For the test.',
  /** Whatever it replies is not checked. */
  schema: { reply: z.unknown() },
} as const;

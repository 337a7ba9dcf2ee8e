// The proxy of an invented newer version: a copy of this one whose tables have the steps of newer-steps.ts.
import { STEPS, type Step } from '../../backend-proxy/ledger/schema/steps.ts';
import { NEWER_STEPS } from './newer-steps.ts';

(STEPS as Step[]).push(...NEWER_STEPS);
await import('../../backend-proxy/main.ts');

// The interface of the house: start-up and tests start it here, and cancel what an earlier one left in the books. The
// rest of the server enters this folder here alone.
export { withdrawHouse } from './accounts.ts';
export { type House, startHouse } from './house.ts';
export { type Schedule, timerSchedule } from './schedule.ts';

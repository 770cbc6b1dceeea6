// The interface of the house: start-up and tests start it here, and cancel what an earlier one left in the books. Only
// settings import from inside this folder (the modes, from model.ts), since this file would load the whole house.
export { withdrawHouse } from './accounts.ts';
export { type House, startHouse } from './house.ts';
export type { HouseMode } from './model.ts';
export { type Schedule, timerSchedule } from './schedule.ts';

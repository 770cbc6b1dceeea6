// The door of the house: how start-up and tests start it, and take out what an earlier one left. Of the rest of this
// folder other rooms know the modes alone, which settings take from model.ts: the door would load the whole house.
export { withdrawHouse } from './accounts.ts';
export { type House, startHouse } from './house.ts';
export type { HouseMode } from './model.ts';
export { type Schedule, timerSchedule } from './schedule.ts';

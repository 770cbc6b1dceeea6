// The door of the house: how start-up and tests start it, and take out what an earlier one left. Nothing else of this
// folder is any business of other rooms.
export { withdrawHouse } from './accounts.ts';
export { type House, type HouseOptions, startHouse } from './house.ts';
export { HOUSE_MODES, type HouseMode } from './model.ts';
export { type Schedule, timerSchedule } from './schedule.ts';

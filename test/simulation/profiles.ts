// The cast from which each seed of a simulation draws: all profiles of traders, operators and the forger, by name. Used by
// flow.ts, which mixes some of them. The order matters: a seed draws its profiles in the order of this list.
import {
  banker,
  beater,
  crowd,
  duster,
  expirer,
  maker,
  overcommitter,
  type Profile,
  selfCrosser,
  spammer,
  sweeper,
} from './actors.ts';
import { forger } from './forger.ts';
import { bungler, pauser, resolver, tickChanger } from './operators.ts';

export const profiles = {
  ...{ maker, sweeper, spammer, duster, tickChanger, resolver, selfCrosser, expirer },
  ...{ pauser, overcommitter, banker, beater, forger, bungler, crowd },
} as const satisfies Readonly<Record<string, Profile>>;
export type ProfileName = keyof typeof profiles;

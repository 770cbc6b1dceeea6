// How many requests each endpoint has answered, how and how fast. The door (http/handle.ts) adds to these with every answer,
// so that it costs a look into a map and a few additions. Counted by the endpoint's own path, never by what was asked for:
// whatever clients send, there are as many rows as endpoints, and one for all that finds none.
import { Distribution } from '../../engine/index.ts';

/** Few, since each endpoint has a row of every one. */
const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5];
/** For a client that had gone before there was an answer: nginx's number for it, and no status that is ever sent. */
export const GONE_STATUS = 499;
const STATUS_MAX = 599;
/** Method and path of what found no endpoint. No endpoint has it for its path, since those begin with a slash. */
const NONE = 'none';

/** An endpoint. The map below has it as its key by identity, so that no request costs a text made of method and path. */
interface Route {
  readonly method: string;
  /** With its `{name}` parts. */
  readonly path: string;
}

/** What was answered to requests of one endpoint. */
interface RouteFigures {
  readonly labels: { readonly method: string; readonly route: string };
  /** How often each status was answered, by the status. */
  readonly statuses: Float64Array;
  readonly seconds: Distribution;
}

const figuresOf = (method: string, path: string): RouteFigures => ({
  labels: { method, route: path },
  statuses: new Float64Array(STATUS_MAX + 1),
  seconds: new Distribution(SECONDS),
});

export class RequestFigures {
  private readonly byEndpoint = new Map<Route, RouteFigures>();
  private readonly others = figuresOf(NONE, NONE);

  /** A request was answered, or its client gone; of no endpoint where the door refused it before it knew one. */
  answered(endpoint: Route | undefined, status: number, tookMs: number): void {
    const { statuses, seconds } = endpoint === undefined ? this.others : this.of(endpoint);
    statuses[status] += 1;
    seconds.add(tookMs / 1000);
  }

  /** The endpoints that were asked so far, and what found none. */
  get routes(): readonly RouteFigures[] {
    return [this.others, ...this.byEndpoint.values()];
  }

  private of(endpoint: Route): RouteFigures {
    let figures = this.byEndpoint.get(endpoint);
    if (figures === undefined) {
      figures = figuresOf(endpoint.method, endpoint.path);
      this.byEndpoint.set(endpoint, figures);
    }
    return figures;
  }
}

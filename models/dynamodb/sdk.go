package dynamodb

import (
	"errors"
	"time"

	"fencepost/sim/host"
	"fencepost/sim/network"
)

// errUnavailable is an AwsServiceException with status 503.
var errUnavailable = errors.New("service unavailable")

// errCondition is a ConditionalCheckFailedException.
var errCondition = errors.New("the condition was not met")

// Backoff of the SDK's retries (DynamoDbRetryPolicy.java; core SdkDefaultRetrySetting.java):
// evenly drawn below a bound that doubles.
const (
	retryBase = 25 * time.Millisecond
	retryMax  = 20 * time.Second
)

// call is a request by the SDK. It is sent again as it is, whether or not it was applied.
func (c *client) call(p *host.Process, b network.Body) (network.Message, error) {
	bound := retryBase
	for attempt := 0; ; attempt++ {
		reply, err := p.Call(c.system.table.host.Addr(), b, c.system.config.timeout)
		if err == nil && reply.Op == OpUnavailable {
			err = errUnavailable
		}
		if err == nil || attempt == c.system.config.retries {
			return reply, err
		}
		p.Sleep(c.random.Between(0, bound))
		bound = min(2*bound, retryMax)
	}
}

// write is a request with a condition, under a hold.
func (c *client) write(p *host.Process, b network.Body) error {
	b.Hold = c.hold
	reply, err := c.call(p, b)
	if err == nil && !reply.OK {
		err = errCondition
	}
	return err
}

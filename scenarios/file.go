package scenarios

// file is the form of a scenario file. Every leaf is a scalar, so that it keeps its
// place for errors and may name parameters.
type file struct {
	Name     *scalar            `yaml:"name"`
	Title    *scalar            `yaml:"title"`
	About    *scalar            `yaml:"about"`
	Source   *scalar            `yaml:"source"`
	Incident *incidentPart      `yaml:"incident"`
	Tags     []*scalar          `yaml:"tags"`
	Until    *scalar            `yaml:"until"`
	Params   map[string]*scalar `yaml:"params"`
	Lock     map[string]*scalar `yaml:"lock"`
	Network  *networkPart       `yaml:"network"`
	Disk     *diskPart          `yaml:"disk"`
	Clocks   *clocksPart        `yaml:"clocks"`
	Resource *resourcePart      `yaml:"resource"`
	Wake     *scalar            `yaml:"wake"`
	Progress *progressPart      `yaml:"progress"`
	Clients  []clientPart       `yaml:"clients"`
	Faults   []faultPart        `yaml:"faults"`
	Random   *randomPart        `yaml:"random"`
	For      map[string]forPart `yaml:"for"`
	Expect   []expectPart       `yaml:"expect"`
	Chart    *chartPart         `yaml:"chart"`
	Closed   *closedPart        `yaml:"closed-form"`
	Arch     *scalar            `yaml:"arch"`

	Variants map[string]*file `yaml:"variants"`
}

type diskPart struct {
	Fsync *scalar `yaml:"fsync"`
}

// progressPart says what counts as progress beyond what each lock declares.
type progressPart struct {
	StarvedAfter *scalar `yaml:"starved-after"`
	From         *scalar `yaml:"from"`
}

type clientPart struct {
	Start           *scalar `yaml:"start"`
	Cycles          *scalar `yaml:"cycles"`
	Think           *scalar `yaml:"think"`
	BeforeRead      *scalar `yaml:"before-read"`
	Between         *scalar `yaml:"between"`
	AfterWrite      *scalar `yaml:"after-write"`
	Check           *scalar `yaml:"check"`
	CheckPeriod     *scalar `yaml:"check-period"`
	OnLoss          *scalar `yaml:"on-loss"`
	StopLatency     *scalar `yaml:"stop-latency"`
	Renew           *scalar `yaml:"renew"`
	RenewLate       *scalar `yaml:"renew-late"`
	RenewTimes      *scalar `yaml:"renew-times"`
	RenewOnError    *scalar `yaml:"renew-on-error"`
	RenewOnLoss     *scalar `yaml:"renew-on-loss"`
	ReleaseDelay    *scalar `yaml:"release-delay"`
	ReleaseAttempts *scalar `yaml:"release-attempts"`
	UnownedRelease  *scalar `yaml:"unowned-release"`
	RequestTimeout  *scalar `yaml:"request-timeout"`
	RequestAttempts *scalar `yaml:"request-attempts"`
	Prunes          *scalar `yaml:"prunes"`
}

// forPart is what one lock system has of its own.
type forPart struct {
	NotApplicable *scalar            `yaml:"n/a"`
	Lock          map[string]*scalar `yaml:"lock"`
	Faults        []faultPart        `yaml:"faults"`
}

// expectPart says which verdict the sources lead to, for some locks and guards.
type expectPart struct {
	Locks        []*scalar   `yaml:"locks"`
	Guards       []*scalar   `yaml:"guards"`
	Grants       *scalar     `yaml:"grants"`
	Exclusion    *scalar     `yaml:"exclusion"`
	Resource     *scalar     `yaml:"resource"`
	Progress     *scalar     `yaml:"progress"`
	Tokens       *scalar     `yaml:"tokens"`
	Kind         *scalar     `yaml:"kind"`
	Linearizable *linearPart `yaml:"linearizable"`
}

type linearPart struct {
	Lock     *scalar `yaml:"lock"`
	Resource *scalar `yaml:"resource"`
}

// chartPart is the sweep that a case's chart is made from.
type chartPart struct {
	Scenario *scalar   `yaml:"scenario"`
	Property *scalar   `yaml:"property"`
	X        *scalar   `yaml:"x"`
	Trials   *scalar   `yaml:"trials"`
	Locks    []*scalar `yaml:"locks"`
	Vary     []*scalar `yaml:"vary"`
}

// closedPart says for which locks the rates can be worked out, and from what.
type closedPart struct {
	Locks []*scalar `yaml:"locks"`
	Pause *scalar   `yaml:"pause"`
	At    *scalar   `yaml:"at"`
}

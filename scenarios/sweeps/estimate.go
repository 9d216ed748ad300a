package sweeps

// Estimator is how a sweep estimates the rates of violations.
type Estimator string

const (
	// Crude: the share of the trials.
	Crude Estimator = "crude"
	// Biased: what faults declare rare is drawn too often, and each trial has a weight.
	Biased Estimator = "bias"
	// Conditional: each trial comes to a probability, that of the lengths of its one rare fault under
	// which the property is violated, all else being as it was drawn.
	Conditional Estimator = "conditional"
)

// Estimators are the accepted words, the first of which is what a sweep does unless told otherwise.
var Estimators = []string{string(Crude), string(Biased), string(Conditional)}

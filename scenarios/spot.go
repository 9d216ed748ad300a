package scenarios

import (
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// spot is where a mapping stands, for errors about all of it: its values may be missing.
type spot struct{ line, column int }

// spotOf returns where a node begins. A block begins with its first key.
func spotOf(n ast.Node) spot {
	switch m := n.(type) {
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return spotOf(m.Values[0])
		}
	case *ast.MappingValueNode:
		return spotOf(m.Key)
	}
	at := n.GetToken().Position
	return spot{at.Line, at.Column}
}

// scalar is a value that stands there, to fail at.
func (s spot) scalar() *scalar { return &scalar{line: s.line, column: s.column} }

// readAt reads a mapping and notes where it stands.
func readAt[T any](n ast.Node, to *T, at *spot) error {
	err := yaml.NodeToValue(n, to)
	*at = spotOf(n)
	return err
}

// The parts of a file that are pointed at as a whole. Each is read as a type without this method.

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (p *clientPart) UnmarshalYAML(n ast.Node) error {
	type plain clientPart
	return readAt(n, (*plain)(p), &p.at)
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (p *faultPart) UnmarshalYAML(n ast.Node) error {
	type plain faultPart
	return readAt(n, (*plain)(p), &p.at)
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (p *whenPart) UnmarshalYAML(n ast.Node) error {
	type plain whenPart
	return readAt(n, (*plain)(p), &p.at)
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (p *randomPart) UnmarshalYAML(n ast.Node) error {
	type plain randomPart
	return readAt(n, (*plain)(p), &p.at)
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (p *linkPart) UnmarshalYAML(n ast.Node) error {
	type plain linkPart
	return readAt(n, (*plain)(p), &p.at)
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (p *synchronyPart) UnmarshalYAML(n ast.Node) error {
	type plain synchronyPart
	return readAt(n, (*plain)(p), &p.at)
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (p *boundaryPart) UnmarshalYAML(n ast.Node) error {
	type plain boundaryPart
	return readAt(n, (*plain)(p), &p.at)
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (p *expectPart) UnmarshalYAML(n ast.Node) error {
	type plain expectPart
	return readAt(n, (*plain)(p), &p.at)
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (p *incidentPart) UnmarshalYAML(n ast.Node) error {
	type plain incidentPart
	return readAt(n, (*plain)(p), &p.at)
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (p *chartPart) UnmarshalYAML(n ast.Node) error {
	type plain chartPart
	return readAt(n, (*plain)(p), &p.at)
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (p *closedPart) UnmarshalYAML(n ast.Node) error {
	type plain closedPart
	return readAt(n, (*plain)(p), &p.at)
}

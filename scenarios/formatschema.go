package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"fencepost/checker"
	"fencepost/models"
	"fencepost/sim/fault"
)

// object is a JSON object.
type object = map[string]any

// schemaDraft is the draft that editors with the YAML language server read best.
const schemaDraft = "http://json-schema.org/draft-07/schema#"

// Schema returns the JSON Schema of scenario files, with the names of the given lock systems.
//
// It is made of what the types of the format say of their keys, and refuses what can be told
// of one value, or of which keys stand together. What depends on the values of others is left
// to the loader: see docs/scenarios.md.
func Schema(registry *models.Registry) []byte {
	s := &schema{registry: registry, definitions: object{}}
	top := s.mapping(reflect.TypeFor[file](), nil)
	top["$schema"], top["title"] = schemaDraft, "A scenario of fencepost"
	top["definitions"] = s.definitions
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(top); err != nil {
		panic("scenarios: the schema cannot be written: " + err.Error())
	}
	return out.Bytes()
}

// schema collects the definitions of mappings, by name.
type schema struct {
	registry    *models.Registry
	definitions object
}

// mapping describes a mapping: its keys, or those of them that are wanted.
func (s *schema) mapping(of reflect.Type, wanted []string) object {
	m, _ := describedBy(of)
	properties, required := object{}, []string{}
	for _, k := range m.keys {
		if wanted != nil && !slices.Contains(wanted, k.name) {
			continue
		}
		properties[k.name] = s.property(of, &k)
		if k.needed {
			required = append(required, k.name)
		}
	}
	o := object{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		o["required"] = required
	}
	if agreement := agreements[of]; agreement != nil {
		more := agreement()
		for _, word := range sortedKeys(more) {
			o[word] = more[word]
		}
	}
	return o
}

// property describes what stands under a key, with what is said of it.
func (s *schema) property(of reflect.Type, k *key) object {
	o := s.holds(fieldType(of, k.name), k)
	if _, ref := o["$ref"]; ref { // beside which nothing else counts in this draft
		o = object{"allOf": []any{o}}
	}
	o["description"] = k.doc
	if k.def != "" {
		o["description"] = k.doc + "\nWithout it: " + k.def
	}
	return o
}

// holds describes what a field is read from.
func (s *schema) holds(t reflect.Type, k *key) object {
	switch t = under(t); {
	case t == reflect.TypeFor[scalar]():
		return s.value(k.takes, k.fixed)
	case t == reflect.TypeFor[actionPart]():
		return s.defined("kind "+k.name, func() object { return s.kind(findKind(k.name)) })
	case t == reflect.TypeFor[findingPart]():
		return s.defined("violation of "+k.name, func() object { return s.finding(k.name) })
	case t == reflect.TypeFor[map[string]*file]():
		return object{"type": "object", "propertyNames": object{"pattern": validVariant.String()}, "additionalProperties": s.variant()}
	case t == reflect.TypeFor[map[string]forPart]():
		return s.ofLocks()
	case t.Kind() == reflect.Map && k.name == "lock":
		return s.params(s.registry.Locks(), false)
	case t.Kind() == reflect.Map:
		return object{"type": "object", "propertyNames": object{"pattern": "^" + reference.String()[2:] + "$"}, "additionalProperties": s.value(text, true)}
	case t.Kind() == reflect.Slice:
		list := object{"type": "array", "items": s.holds(t.Elem(), k)}
		if k.least > 0 {
			list["minItems"] = k.least
		}
		if k.most > 0 {
			list["maxItems"] = k.most
		}
		return list
	}
	m, _ := describedBy(t)
	return s.defined("mapping "+m.name, func() object { return s.mapping(t, nil) })
}

// defined refers to a definition, and makes it if there is none yet.
func (s *schema) defined(name string, make func() object) object {
	name = slug(name)
	if _, ok := s.definitions[name]; !ok {
		s.definitions[name] = object{} // for what it holds that refers to it
		s.definitions[name] = make()
	}
	return object{"$ref": "#/definitions/" + name}
}

// slug is a name that needs no escapes in a reference.
func slug(name string) string { return strings.Join(notInSlugs.Split(name, -1), "-") }

var notInSlugs = regexp.MustCompile(`[^a-z0-9-]+`)

// variant describes a variant: the keys of the file, none of which it must have.
func (s *schema) variant() object {
	return s.defined("variant", func() object {
		keys := slices.DeleteFunc(keysOf(reflect.TypeFor[file]()), func(key string) bool { return slices.Contains(notInVariants, key) })
		properties := object{}
		for _, key := range keys {
			properties[key] = object{"$ref": "#/properties/" + key}
		}
		return object{"type": "object", "additionalProperties": false, "properties": properties}
	})
}

// kind describes what a kind of fault takes: its fields, and one target.
func (s *schema) kind(k *FaultKind) object {
	o := s.mapping(reflect.TypeFor[actionPart](), k.fields())
	if k.Name == string(fault.ClockJitter) { // which goes both ways by itself
		o["properties"].(object)["by"] = s.property(reflect.TypeFor[actionPart](), &key{name: "by", takes: length, doc: "by up to how much a reading is wrong"})
	}
	if needs := slices.DeleteFunc(slices.Clone(k.Needs), func(f string) bool { return f == "for" }); len(needs) > 0 {
		o["required"] = needs // `for` may stand with the fault
	}
	if k.Name != string(fault.Remove) { // which strikes the service
		o["oneOf"] = required("client", "server", "host")
	}
	if k.Name == string(fault.Cut) {
		o["anyOf"] = required("clients", "servers", "hosts")
	}
	return o
}

// finding describes what the first violation of a property has to be like.
func (s *schema) finding(property string) object {
	of := reflect.TypeFor[findingPart]()
	o := s.mapping(of, nil)
	properties := o["properties"].(object)
	properties["kind"] = s.property(of, &key{name: "kind", takes: words(checker.KindsOf(property)...), doc: "its kind"})
	if ofAnInstant(property) {
		delete(properties, "lasts")
	}
	return o
}

// ofLocks describes what each lock has of its own.
func (s *schema) ofLocks() object {
	properties := object{}
	for _, l := range s.registry.Locks() {
		d := l.Describe()
		o := s.mapping(reflect.TypeFor[forPart](), nil)
		o["properties"].(object)["lock"] = s.params([]models.Lock{l}, true)
		o["description"] = d.Summary
		properties[d.Name] = o
	}
	return object{"type": "object", "additionalProperties": false, "properties": properties}
}

// params describes parameters of locks. What is said for one lock alone has to be in its
// range; what is said for all may be that of some.
func (s *schema) params(locks []models.Lock, ranged bool) object {
	forms, docs := map[string][]any{}, map[string]string{}
	for _, l := range locks {
		for _, p := range l.Describe().Params {
			o := s.value(valueOf(p, ranged), false)
			if !slices.ContainsFunc(forms[p.Name], func(other any) bool { return reflect.DeepEqual(other, o) }) {
				forms[p.Name] = append(forms[p.Name], o)
			}
			docs[p.Name] = p.Doc
		}
	}
	properties := object{}
	for _, name := range sortedKeys(forms) {
		properties[name] = object{"anyOf": forms[name], "description": docs[name]}
	}
	return object{"type": "object", "additionalProperties": false, "properties": properties}
}

// valueOf is what a parameter of a lock takes.
func valueOf(p models.Param, ranged bool) value {
	switch p.Unit {
	case models.Duration:
		return duration
	case models.Choice:
		return words(p.Choices...)
	case models.Millionths:
		return percentage
	}
	v := value{name: "whole number", form: form{min: -anyCount, max: anyCount}}
	if ranged {
		v.name, v.form.min = fmt.Sprintf("whole number from %d", p.Min), int(p.Min)
	}
	if ranged && p.Max > 0 {
		v.name, v.form.max = fmt.Sprintf("whole number from %d to %d", p.Min, p.Max), int(p.Max)
	}
	return v
}

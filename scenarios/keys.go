package scenarios

import "reflect"

func under(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

func fieldType(t reflect.Type, key string) reflect.Type {
	for _, f := range fieldsOf(t) {
		if f.Tag.Get("yaml") == key {
			return f.Type
		}
	}
	return t
}

// fieldsOf lists the fields of a mapping; those of a part that is inlined stand in its
// place.
func fieldsOf(t reflect.Type) (fields []reflect.StructField) {
	for i := range t.NumField() {
		switch f := t.Field(i); {
		case f.Tag.Get("yaml") == ",inline":
			fields = append(fields, fieldsOf(f.Type)...)
		case f.IsExported():
			fields = append(fields, f)
		}
	}
	return fields
}

// keysOf lists the keys of a mapping.
func keysOf(t reflect.Type) (keys []string) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range fieldsOf(t) {
		keys = append(keys, f.Tag.Get("yaml"))
	}
	return keys
}
